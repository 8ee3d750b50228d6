#include "opcat/catalog/catalog.hpp"

#include <algorithm>
#include <iterator>

namespace opcat {

Location Blob::at(const Text& text) const {
    if (!file) return origin;
    const std::string_view rest = file->bytes().substr(std::min<size_t>(text.offset, file->bytes().size()));
    const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
    const bool as_it_is = !text.empty() && rest.substr(quoted ? 1 : 0).starts_with(text.text);
    if (!as_it_is) return {file, text.offset, 1};
    return {file, text.offset + (quoted ? 1 : 0), static_cast<uint32_t>(text.text.size())};
}

bool is_empty(const Catalog& catalog) {
    return catalog.packages.empty() && catalog.channels.empty() && catalog.bundles.empty() &&
           catalog.deprecations.empty() && catalog.others.empty();
}

void append(Catalog& into, Catalog&& from) {
    const auto move_all = [](auto& to, auto& items) {
        if (to.empty())
            to = std::move(items);
        else
            to.insert(to.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    };
    move_all(into.packages, from.packages);
    move_all(into.channels, from.channels);
    move_all(into.bundles, from.bundles);
    move_all(into.deprecations, from.deprecations);
    move_all(into.others, from.others);
    move_all(into.storage, from.storage);
}

std::vector<PackageIndex> index_packages(const Catalog& catalog) {
    std::vector<PackageIndex> packages;
    std::unordered_map<std::string_view, size_t> positions;
    const auto of = [&](std::string_view name) -> PackageIndex& {
        const auto [found, is_new] = positions.try_emplace(name, packages.size());
        if (is_new) packages.emplace_back().name = name;
        return packages[found->second];
    };
    for (const Package& package : catalog.packages) of(package.name).packages.push_back(&package);
    for (const Channel& channel : catalog.channels) {
        PackageIndex& package = of(channel.package);
        package.channels.push_back(&channel);
        package.channel_by_name.try_emplace(channel.name, &channel);
    }
    for (const Bundle& bundle : catalog.bundles) {
        PackageIndex& package = of(bundle.package);
        package.bundles.push_back(&bundle);
        package.bundle_by_name.try_emplace(bundle.name, &bundle);
    }
    for (const Deprecations& deprecations : catalog.deprecations)
        of(deprecations.package).deprecations.push_back(&deprecations);
    return packages;
}

} // namespace opcat
