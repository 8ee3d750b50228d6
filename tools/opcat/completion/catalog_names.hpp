// The names in a catalog, as quickly as a shell wants them while somebody types.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opcat {

class Session;

// One entry of a channel.
struct CatalogName {
    std::string package, channel, bundle;
};

// By package, channel and name; what the catalog says wrongly is left out, and so are names that a shell
// would have to quote. Empty if `path` is no catalog, or is too large to look at in passing.
//
// Kept below the cache directory until a file of the catalog changes its size or time.
std::vector<CatalogName> catalog_names(const std::filesystem::path& path, Session& session);

} // namespace opcat
