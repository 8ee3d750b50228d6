// Descriptions of the thing at the cursor.
#pragma once

#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/cursor.hpp"
#include "opcat/lsp/field_schemas.hpp"
#include "opcat/lsp/mentions.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat::lsp {

// Describes a package, channel or bundle in Markdown: versions, channels, the edges to it and from it,
// deprecation. Near-linear in the package.
std::string describe(const CatalogAnalysis& analysis, const Thing& thing);

// The versions of a package that a range in blang's syntax covers; empty if there is none, or the range is
// not valid.
std::string describe_range(const CatalogAnalysis& analysis, std::string_view package, std::string_view range);

// The description of a field, and of its value if that is a range or names a schema or a type.
std::string describe_field(DocumentKind kind, const CursorContext& context, std::string_view value,
                           const FieldSchemas& schemas, const CatalogAnalysis* analysis);

} // namespace opcat::lsp
