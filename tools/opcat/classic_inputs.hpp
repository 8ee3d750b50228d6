// What commands about OLM classic take: the content of CatalogSources, and the flags that findings name.
#pragma once

#include "opcat/resolve/classic/preflight.hpp"

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

// Adds the objects of a cluster that files hold; a directory stands for the files of YAML and JSON below it,
// and - for standard input. What cannot be read, and objects that are given twice with different content, are
// findings. Throws Error.
void read_cluster_files(const std::vector<std::string>& paths, classic::ClusterState& cluster,
                        Diagnostics& findings);

// The flags that findings name: those of `opcat resolve classic`.
classic::InputNames input_names();

} // namespace opcat
