// The upgrade graph for mermaid (mermaid.js.org), byte for byte as `opm alpha render-graph` writes it.
#pragma once

#include "base/diagnostic.hpp"
#include "catalog/catalog.hpp"

#include <string>
#include <string_view>

namespace opcat {

struct MermaidOptions {
    std::string_view package = {};      // only this one; empty: all
    std::string_view channel = {};      // only channels of this name; empty: all
    std::string_view minimum_edge = {}; // a bundle: only it and what is newer, of its package; empty: all
    // Mark what OLM classic leaves out: skipped entries, and edges that lead to them.
    bool classic_semantics = false;
};

struct MermaidGraph {
    std::string text; // empty if there are errors
    // Bundles without a readable version are errors, skipRanges that do not parse are warnings (and are left
    // out of the drawing).
    Diagnostics diagnostics;
};

// A skipRange becomes one edge for each entry of the channel that it covers, so the text can grow with the
// square of a channel's entries. Throws UsageError if no bundle is called `minimum_edge`.
MermaidGraph draw_mermaid(const Catalog& catalog, const MermaidOptions& options = {});

} // namespace opcat
