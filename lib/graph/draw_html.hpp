// The upgrade graph as a page for a browser.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/graph_view.hpp"

#include <string>
#include <string_view>

namespace opcat {

// One self-contained file that needs no network: page/graph.html with its style, its script and the data of
// the view. `title` is shown as it is. Near-linear in nodes and edges.
std::string draw_html(const GraphView& view, const Diagnostics& findings, std::string_view title, Olm olm);

} // namespace opcat
