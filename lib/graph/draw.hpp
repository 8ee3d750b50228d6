// Drawings of the upgrade graph: for a terminal, a browser, Graphviz, mermaid and programs.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/graph/graph_view.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

struct TextStyle {
    bool colour = false;
    // Which OLM's next step to show for each version.
    std::optional<OlmGeneration> next_steps = std::nullopt;
};

// For a terminal: one lane per channel, newest on top. The lane follows `replaces` down from the head.
// Skipped entries outside of the lane branch off below the entry that skips them. Linear, except for next
// steps, which are near-linear.
std::string draw_text(const GraphView& view, const TextStyle& style);

// In the language of Graphviz: one cluster per package, and in it one per channel. With `olm` classic, edges
// that it does not see (to entries off the chain) are faint. A skipRange that covers many versions is drawn
// as many edges.
std::string draw_dot(const GraphView& view, OlmGeneration olm);

// The drawing of draw_dot as SVG. Several packages are laid out separately, in rows. More than linear: a
// second for about a thousand edges. Throws Error if Graphviz's library is missing or fails.
std::string draw_svg(const GraphView& view, OlmGeneration olm);

// The place of a graph's page among others.
struct PagePlace {
    std::string_view assets =
        {}; // link to the folder of graph.css, graph.js and opcat.svg, the icon; empty: they are in the page
    std::string_view back = {}; // target of the title's link; empty: none
};

// A page for a browser: page/graph.html with the data of the view; it does not use the network. Without a
// place it is one self-contained file. `title` is shown unchanged. Near-linear in nodes and edges.
std::string draw_html(const GraphView& view, const Diagnostics& findings, std::string_view title,
                      OlmGeneration olm, const PagePlace& place = {});

// The contents of graph.css and graph.js.
std::string_view graph_style();
std::string_view graph_script();

// One JSON object of schema "opcat.graph.v1" (docs/json-output.md), with a line break at the end: nodes,
// channels with their entries and edges, what each version is upgraded to next by both OLMs, and findings.
// `findings` are those of the view.
std::string draw_json(const GraphView& view, const Diagnostics& findings);

struct MermaidOptions {
    std::string_view package = {};      // only this one; empty: all
    std::string_view channel = {};      // only channels of this name; empty: all
    std::string_view minimum_edge = {}; // a bundle: only it and newer ones of its package; empty: all
    // Mark what OLM classic leaves out: skipped entries, and edges that lead to them.
    bool classic_semantics = false;
};

struct MermaidGraph {
    std::string text; // empty if there are errors
    // Bundles without a readable version are errors, skipRanges that do not parse are warnings (and are left
    // out of the drawing).
    Diagnostics diagnostics;
};

// For mermaid (mermaid.js.org), byte for byte as `opm alpha render-graph` writes it. A skipRange becomes one
// edge for each entry of the channel that it covers, so the text can grow with the square of a channel's
// entries. Throws RequestError if the catalog does not have the bundle `minimum_edge`.
MermaidGraph draw_mermaid(const Catalog& catalog, const MermaidOptions& options = {});

} // namespace opcat
