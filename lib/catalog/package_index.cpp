#include "catalog/package_index.hpp"

namespace opcat {

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
