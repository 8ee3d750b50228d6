// Index databases, which catalogs were before they were files.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <filesystem>
#include <string>

namespace opcat {

// Whether a file begins as SQLite's databases do. Throws Error if it cannot be read.
bool is_legacy_index(const std::filesystem::path& file);

// Loads an index database as the catalog that opm makes of it. The diagnostics begin with the warning that
// the format is deprecated; errors are what opm refuses, checks of the catalog included. Databases of
// opm 1.15 and later have all that is needed. Throws Error if the file cannot be read as such a database.
// Messages call it `shown`, if that is not empty.
LoadedCatalog load_legacy_index(const std::filesystem::path& file, ThreadPool& pool,
                                const std::string& shown = {});

} // namespace opcat
