// What commands about OLM classic read of a cluster without one: manifests and the content of catalogs.
#pragma once

#include "opcat/resolve/classic/resolve.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

struct ClassicCatalogOption {
    classic::CatalogKey key;
    std::string reference;
    std::optional<int64_t> priority;
};

// "NAMESPACE/NAME=REF[,priority=N]". Throws RequestError.
ClassicCatalogOption parse_classic_catalog(const std::string& text);

// A file, or those of YAML and JSON in a directory, by name. Throws Error.
std::vector<std::string> manifest_files(const std::string& path);

} // namespace opcat
