// Proposals for the text at the cursor.
#pragma once

#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/cursor.hpp"
#include "opcat/lsp/field_schemas.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

enum class CompletionKind : uint8_t { field, value, reference };

struct Completion {
    std::string label;
    std::string text;   // to replace the typed text
    std::string detail; // in a few words
    std::string documentation;
    CompletionKind kind = CompletionKind::value;
};

// For a text of a kind and the context of a cursor in it. `analysis` is the catalog that it belongs to or
// refers to; nullptr: unknown. The best ones first. Editors narrow them by the typed text.
std::vector<Completion> complete(DocumentKind kind, const CursorContext& context, const FieldSchemas& schemas,
                                 const CatalogAnalysis* analysis);

} // namespace opcat::lsp
