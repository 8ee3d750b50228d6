// A catalog's blobs by package and by name.
#pragma once

#include "catalog/catalog.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

// All blobs that name one package, right or wrong: there may be no olm.package blob, or several.
struct PackageIndex {
    std::string_view name;
    std::vector<const Package*> packages;
    std::vector<const Channel*> channels;
    std::vector<const Bundle*> bundles;
    std::vector<const Deprecations*> deprecations;
    std::unordered_map<std::string_view, const Bundle*> bundle_by_name;   // the first of each name
    std::unordered_map<std::string_view, const Channel*> channel_by_name; // the first of each name
};

// In the order in which packages are first named. Pointers into `catalog`. Linear.
std::vector<PackageIndex> index_packages(const Catalog& catalog);

} // namespace opcat
