#include "opcat/workspace/v1_sources.hpp"

#include "opcat/lint/lint.hpp"
#include "opcat/resolve/v1/load_failure.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace opcat {

namespace {

std::unique_ptr<olmv1::CatalogIndex> index_or_failure(const std::string& reference,
                                                      const OpenOptions& options, ThreadPool& pool) {
    try {
        LoadedCatalog loaded = open(reference, options, pool).take();
        if (has_errors(loaded.diagnostics))
            return std::make_unique<olmv1::CatalogIndex>(olmv1::load_failure(loaded.diagnostics));
        return std::make_unique<olmv1::CatalogIndex>(std::move(loaded.catalog));
    } catch (const Error& error) {
        std::error_code ignored;
        // OLM's message about a directory that does not exist.
        if (!std::filesystem::exists(reference, ignored))
            return std::make_unique<olmv1::CatalogIndex>(std::string("stat .: no such file or directory"));
        return std::make_unique<olmv1::CatalogIndex>(std::string(error.what()));
    }
}

} // namespace

bool V1Sources::open(const std::vector<std::string>& references,
                     const std::function<bool(const Diagnostics&)>& accept) {
    std::vector<std::string> missing;
    for (const std::string& one : references)
        if (!indices_.contains(one) && std::find(missing.begin(), missing.end(), one) == missing.end())
            missing.push_back(one);
    std::vector<Source> opened = open_each(missing, options_, pool_);
    bool good = true;
    for (size_t i = 0; i < missing.size(); ++i) {
        if (accept(opened[i].loaded().diagnostics))
            indices_[missing[i]] =
                std::make_unique<olmv1::CatalogIndex>(std::move(std::move(opened[i]).take().catalog));
        else
            good = false;
    }
    return good;
}

const olmv1::CatalogIndex& V1Sources::index(const std::string& reference) {
    std::unique_ptr<olmv1::CatalogIndex>& index = indices_[reference];
    if (!index) index = index_or_failure(reference, options_, pool_);
    return *index;
}

const std::string& V1Sources::refusal(const std::string& reference) {
    const auto [known, is_new] = refusals_.try_emplace(reference);
    if (is_new) known->second = refusal_by_opm(reference, index(reference).catalog(), pool_);
    return known->second;
}

std::vector<std::string> V1Sources::refusals() {
    std::vector<std::string> all;
    for (const auto& [reference, index] : indices_)
        if (const std::string& why = refusal(reference); !why.empty()) all.push_back(why);
    return all;
}

} // namespace opcat
