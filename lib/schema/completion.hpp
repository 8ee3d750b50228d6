// What comes of a schema where a document says nothing.
#pragma once

#include "schema/program.hpp"

namespace opcat::cue {

// Fills in Node::when_absent of all nodes. A struct that must contain itself without end is a contradiction.
void compute_completion(Program& program);

// Whether two nodes give the same value where a document says nothing.
bool same_when_absent(const Program& program, NodeId a, NodeId b);

} // namespace opcat::cue
