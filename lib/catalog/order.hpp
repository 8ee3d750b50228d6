// The order in which opm writes the blobs of a catalog.
#pragma once

#include "catalog/catalog.hpp"

#include <string_view>
#include <variant>
#include <vector>

namespace opcat {

using AnyBlob =
    std::variant<const Package*, const Channel*, const Bundle*, const Deprecations*, const OtherBlob*>;

// The blobs of one package, in the order in which they are written: packages, channels and bundles each by
// name, the deprecations, others by schema.
struct PackageBlobs {
    std::string_view package; // empty: blobs without one
    std::vector<AnyBlob> blobs;
};

// All blobs by package; last those without one, in the order of the catalog. Of these only blobs of other
// schemas are there: like opm, this loses packages, channels, bundles and deprecations that name no package.
// Pointers into `catalog`.
std::vector<PackageBlobs> by_package(const Catalog& catalog);

} // namespace opcat
