// What may be written where the cursor is.
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
    std::string text;   // to write in place of what is typed
    std::string detail; // in a few words
    std::string documentation;
    CompletionKind kind = CompletionKind::value;
};

// For a text of a kind and the context of a cursor in it. `analysis` is the catalog that it belongs to, or
// that is meant by it; nullptr: none is known. The best ones first. They are not narrowed by what is typed:
// editors do that.
std::vector<Completion> complete(DocumentKind kind, const CursorContext& context, const FieldSchemas& schemas,
                                 const CatalogAnalysis* analysis);

} // namespace opcat::lsp
