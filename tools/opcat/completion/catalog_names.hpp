// The names in a catalog, for completion.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opcat {

class Session;

// A name in a catalog, one entry of a channel.
struct CatalogName {
    std::string package, channel, bundle;
};

// The names in a catalog, fast enough for completion: by package, channel and name, without invalid parts of
// the catalog and names that a shell would have to quote. Empty if `path` is not a catalog, or is too large
// to be read for this purpose.
// Cached below the cache directory until a file of the catalog changes its size or time.
std::vector<CatalogName> catalog_names(const std::filesystem::path& path, Session& session);

} // namespace opcat
