// Reports what is selected of catalogs, for people and programs.
#pragma once

#include "opcat/catalog/catalog.hpp"
#include "opcat/mirror/blocked.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct SelectedCatalog {
    std::string reference;
    const Catalog* catalog = nullptr;
    std::vector<BlockedBundle> blocked;
};

struct MirrorSelection {
    std::vector<SelectedCatalog> catalogs;
    std::vector<std::string> images; // additional ones, as pull specs
};

// The JSON object of schema "opcat.mirror-selection.v1" (docs/json-output.md), with a line break at the end.
std::string selection_as_json(const MirrorSelection& selection);
// The rows of a table of the catalogs (base/table.hpp).
std::string selection_as_rows(const MirrorSelection& selection);

} // namespace opcat
