#include "catalog/shape.hpp"
#include "lint/checks.hpp"

#include <iterator>

namespace opcat {
namespace {

void check_channel_graphs(const PackageIndex& package, Diagnostics& out) {
    for (const Channel* channel : package.channels) check_upgrade_graph(*channel, out);
}

void check_all_properties(const PackageIndex& package, Diagnostics& out) {
    for (const Bundle* bundle : package.bundles) check_properties(*bundle, out);
}

constexpr void (*checks[])(const PackageIndex&,
                           Diagnostics&) = {check_package,        check_channels,     check_channel_graphs,
                                            check_bundles,        check_images,       check_all_properties,
                                            check_skip_ranges,    check_deprecations, check_unknown_fields,
                                            check_property_types, check_icon};

} // namespace

Diagnostics check_catalog(const Catalog& catalog, ThreadPool& pool) {
    const std::vector<PackageIndex> packages = index_packages(catalog);
    // Each check of each package by itself: packages differ much in size.
    std::vector<Diagnostics> found(packages.size() * std::size(checks));
    pool.for_each(found.size(), [&](size_t i) {
        checks[i % std::size(checks)](packages[i / std::size(checks)], found[i]);
    });
    Diagnostics all;
    check_schema_names(catalog, all);
    for (Diagnostics& some : found)
        all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    sort_by_place(all);
    return all;
}

} // namespace opcat
