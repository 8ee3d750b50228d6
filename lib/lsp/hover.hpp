// What a cursor is on, in words.
#pragma once

#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/cursor.hpp"
#include "opcat/lsp/field_schemas.hpp"
#include "opcat/lsp/mentions.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat::lsp {

// Of a package, channel or bundle in Markdown: versions, channels, what upgrades to it and where it leads,
// deprecation. Near-linear in the package.
std::string describe(const CatalogAnalysis& analysis, const Thing& thing);

// Which versions of a package a range of blang's dialect covers; empty if there is none, or no such range.
std::string describe_range(const CatalogAnalysis& analysis, std::string_view package, std::string_view range);

// What is to be said about the field, and about its value where that is a range or names a schema or a type.
std::string describe_field(DocumentKind kind, const CursorContext& context, std::string_view value,
                           const FieldSchemas& schemas, const CatalogAnalysis* analysis);

} // namespace opcat::lsp
