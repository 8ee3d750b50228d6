// Directories that hold catalogs, taken for a catalog.
#pragma once

#include "catalog/catalog.hpp"
#include "support/diagnostic.hpp"

#include <optional>

namespace opcat {

// A catalog that was read from a directory with a catalog in each of several subdirectories, such as v4.14
// and v4.16: at least half of its packages are defined in more than one of them. One error of rule
// "several-catalogs" then says it all. Linear.
std::optional<Diagnostic> find_several_catalogs(const Catalog& catalog);

} // namespace opcat
