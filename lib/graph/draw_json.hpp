// The upgrade graph for programs.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/graph_view.hpp"

#include <string>

namespace opcat {

// One JSON object of schema "opcat.graph.v1" (docs/json-output.md), with a line break at the end: nodes,
// channels with their entries and edges, what each version is upgraded to next by both OLMs, and findings.
// `findings` are those of the view.
std::string draw_json(const GraphView& view, const Diagnostics& findings);

} // namespace opcat
