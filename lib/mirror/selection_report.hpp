// What is selected of catalogs, for people and programs.
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

// The JSON object of schema "opcat.mirror-selection.v1" (docs/json-output.md), with a line break at the end.
std::string selection_as_json(const std::vector<SelectedCatalog>& catalogs);
// The rows of a table (base/table.hpp).
std::string selection_as_rows(const std::vector<SelectedCatalog>& catalogs);

} // namespace opcat
