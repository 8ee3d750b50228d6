#include "opcat/workspace/classic_sources.hpp"

#include "opcat/lint/lint.hpp"

#include <set>

namespace opcat {

void ClassicSources::open(const std::vector<std::string>& references) {
    std::set<std::string> distinct(references.begin(), references.end());
    std::erase_if(distinct, [&](const std::string& reference) { return opened_.contains(reference); });
    for (const Source& source : open_each({distinct.begin(), distinct.end()}, options_, pool_))
        opened_.emplace(source.name(), Checked{source, find_errors(source.loaded(), pool_)});
}

const ClassicSources::Checked& ClassicSources::checked(const std::string& reference) {
    open({reference});
    return opened_.at(reference);
}

const Diagnostics& ClassicSources::errors(const std::string& reference) {
    return checked(reference).errors;
}

classic::AvailableCatalog ClassicSources::catalog(const classic::CatalogKey& key,
                                                  const std::string& reference) {
    const Checked& found = checked(reference);
    const auto [served, is_new] = served_.try_emplace({reference, key});
    if (is_new) served->second = classic::served_catalog(key, found.source, found.errors);
    return served->second;
}

} // namespace opcat
