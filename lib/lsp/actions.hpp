// Actions that an editor offers at a place: the fixes of findings, and common changes of catalogs.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/mentions.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

struct Action {
    std::string title;
    std::vector<TextEdit> edits;         // places in the current text
    const Diagnostic* finding = nullptr; // that it makes go away
    bool safe = true;                    // as of a Fix
};

// The fixes of findings that overlap a range of a file.
std::vector<Action> fixes_at(const CatalogAnalysis& analysis, std::string_view path, const Range& range,
                             Encoding encoding);

// All safe, non-overlapping fixes of a file as one action; without edits if there are none.
Action fix_all(const CatalogAnalysis& analysis, std::string_view path);

// "Add an entry for this bundle", "make this the head", "deprecate this", for the object that a place names.
// A new head in any notation, the others in YAML in block style.
std::vector<Action> changes_at(const CatalogAnalysis& analysis, std::string_view path, Place place,
                               Encoding encoding);

} // namespace opcat::lsp
