// Index databases, the older format of catalogs.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <filesystem>
#include <string>

namespace opcat {

// Returns true if a file begins like an SQLite database. Throws Error if it cannot be read.
bool is_legacy_index(const std::filesystem::path& file);

// Loads an index database as the catalog that opm makes of it. The diagnostics begin with the warning that
// the format is deprecated; errors are what opm refuses, checks of the catalog included. Supports databases
// of opm 1.15 and later. Throws Error if the file cannot be read as such a database. `shown` is its name in
// messages, unless empty.
LoadedCatalog load_legacy_index(const std::filesystem::path& file, ThreadPool& pool,
                                const std::string& shown = {});

} // namespace opcat
