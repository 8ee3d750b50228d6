// A line "---" too many: it cuts a blob in two.
#pragma once

#include "opcat/catalog/load.hpp"

#include <span>

namespace opcat {

// Documents without a schema whose fields are all fields that the blob before them lacks: the findings of
// rule "schema-missing" about them are moved to the separator, and explain what is said about that blob.
// `parts` are loaded by themselves; those of one file are consecutive pieces of it. Near-linear, and nothing
// to do without such findings.
void explain_split_blobs(std::span<const LoadedCatalog* const> parts, Diagnostics& findings);

} // namespace opcat
