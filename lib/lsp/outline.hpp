// The parts of a file: symbols and what can be folded.
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
    std::optional<ThingKind> kind; // nothing: a blob that names nothing
    Range range;                   // all of it
    Range selection;               // its name
    std::vector<Symbol> children;  // entries of a channel
};

// The blobs of a file, in its order; those that do not load now are left out.
std::vector<Symbol> symbols_of(const CatalogAnalysis& analysis, std::string_view path, Encoding encoding);

// Packages, channels and bundles of which the name contains some text, in any letter case; an empty text is
// in all.
struct FoundSymbol {
    Thing thing;
    FileRange where;
};
std::vector<FoundSymbol> find_symbols(const CatalogAnalysis& analysis, std::string_view text, size_t most,
                                      Encoding encoding);

// Lines (from 0) of which all but the first can be hidden: documents, and what is indented below a line.
struct Fold {
    uint32_t first;
    uint32_t last;
};
std::vector<Fold> folds_of(std::string_view text, size_t most);

} // namespace opcat::lsp
