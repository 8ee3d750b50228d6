// What users see of a package, from the bundle that they would install.
#pragma once

#include "catalog/catalog.hpp"
#include "document/arena.hpp"

namespace opcat {

// Sets description and icon from the ClusterServiceVersion among the bundle's olm.bundle.object properties;
// leaves out what is not there.
void describe_package(Package& package, const Bundle& bundle, Arena& arena);

} // namespace opcat
