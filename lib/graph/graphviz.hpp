// Graphviz's library, for layouts that we do not do ourselves.
#pragma once

#include <string>

namespace opcat {

// Lays out a graph in the language of Graphviz, and draws it as SVG. Takes more than linear time: a second
// for about a thousand edges. Throws Error if the library is not there or fails.
//
// The library is loaded here and not when the program starts: it brings some thirty others with it, which
// would make each run of each command slower, and opcat runs without it.
std::string svg_from_dot(const std::string& dot);

} // namespace opcat
