// REFs on the command line: what they name, loaded.
#pragma once

#include "catalog/load.hpp"

#include <string>
#include <vector>

namespace opcat {

class Session;

// Loads what all references name into one catalog, in their order. What is wrong in it is in the diagnostics.
// Throws Error for a reference that cannot be reached, UsageError for one that is none.
LoadedCatalog load_references(const std::vector<std::string>& references, Session& session);

} // namespace opcat
