// The content of CatalogSources, as commands about OLM classic name it.
#pragma once

#include "opcat/resolve/classic/resolve.hpp"

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

} // namespace opcat
