// Which packages the bundles of a catalog need beside their own.
#pragma once

#include "catalog/catalog.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct Dependencies {
    std::set<std::string_view> packages; // with what was there at the beginning
    std::vector<std::string> missing;    // what a bundle requires and nothing in the catalog is, in words
};

// Adds to `packages` all that their bundles require, as olm.package.required, olm.gvk.required and
// olm.constraint say it (constraints below "not" and in CEL name nothing), and what those require. Of several
// packages that provide an API all are added. `is_kept` tells which bundles of the first packages count.
Dependencies find_dependencies(const Catalog& catalog, std::set<std::string_view> packages,
                               const std::function<bool(const Bundle&)>& is_kept);

} // namespace opcat
