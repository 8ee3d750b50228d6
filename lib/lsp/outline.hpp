// The structure of a file: symbols and foldable ranges.
#pragma once

#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/mentions.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

struct Symbol {
    std::string name;
    std::string detail;            // of a blob its schema
    std::optional<ThingKind> kind; // nothing for a blob without a name
    Range range;                   // all of it
    Range selection;               // its name
    std::vector<Symbol> children;  // entries of a channel
};

// The blobs of a file, in its order, without those that do not load.
std::vector<Symbol> symbols_of(const CatalogAnalysis& analysis, std::string_view path, Encoding encoding);

// Packages, channels and bundles whose names contain a text, in any letter case; an empty text matches all.
struct FoundSymbol {
    Thing thing;
    FileRange where;
};
std::vector<FoundSymbol> find_symbols(const CatalogAnalysis& analysis, std::string_view text, size_t most,
                                      Encoding encoding);

// Ranges of lines (from 0) whose lines after the first can be hidden: documents, and indented blocks.
struct Fold {
    uint32_t first;
    uint32_t last;
};
std::vector<Fold> folds_of(std::string_view text, size_t most);

} // namespace opcat::lsp
