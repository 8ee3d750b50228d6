// Graphviz's library, for layouts that we do not do ourselves.
#pragma once

#include "graph/graph_view.hpp"

#include <string>

namespace opcat {

// The drawing of draw_dot as SVG. Several packages are laid out each by itself, and stand in rows. Takes more
// than linear time: a second for about a thousand edges. Throws Error if the library is not there or fails.
//
// The library is loaded here and not when the program starts: it brings some thirty others with it, which
// would make each run of each command slower, and opcat runs without it.
std::string draw_svg(const GraphView& view, Olm olm);

} // namespace opcat
