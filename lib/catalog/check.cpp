#include "catalog/check.hpp"

#include "catalog/checks.hpp"

#include <iterator>

namespace opcat {

Diagnostics check_catalog(const Catalog& catalog, ThreadPool& pool) {
    const std::vector<PackageIndex> packages = index_packages(catalog);
    std::vector<Diagnostics> found(packages.size());
    pool.for_each(packages.size(), [&](size_t i) {
        const PackageIndex& package = packages[i];
        Diagnostics& out = found[i];
        check_package(package, out);
        check_channels(package, out);
        for (const Channel* channel : package.channels) check_upgrade_graph(*channel, out);
        check_bundles(package, out);
        for (const Bundle* bundle : package.bundles) check_properties(*bundle, out);
        check_skip_ranges(package, out);
        check_deprecations(package, out);
        check_unknown_fields(package, out);
    });
    Diagnostics all;
    for (Diagnostics& some : found)
        all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    sort_by_place(all);
    return all;
}

} // namespace opcat
