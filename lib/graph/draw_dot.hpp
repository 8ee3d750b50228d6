// The upgrade graph in the language of Graphviz.
#pragma once

#include "graph/graph_view.hpp"

#include <string>

namespace opcat {

// One cluster per package, and in it one per channel. With `olm` classic, edges that it does not see (to
// entries off the chain) are faint. A skipRange that covers many versions is drawn as many edges.
std::string draw_dot(const GraphView& view, Olm olm);

} // namespace opcat
