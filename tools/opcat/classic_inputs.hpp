// What commands about OLM classic take: the content of CatalogSources, and the flags that findings name.
#pragma once

#include "opcat/resolve/classic/preflight.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace opcat {

struct ClassicCatalogOption {
    classic::CatalogKey key;
    std::string reference;
    std::optional<int64_t> priority;
};

// "NAMESPACE/NAME=REF[,priority=N]". Throws RequestError.
ClassicCatalogOption parse_classic_catalog(const std::string& text);

// The flags that findings name: those of `opcat resolve classic`.
classic::InputNames input_names();

} // namespace opcat
