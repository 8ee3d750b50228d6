// From the tree of a schema to its program.
#pragma once

#include "schema/program.hpp"
#include "schema/syntax.hpp"
#include "support/diagnostic.hpp"

#include <map>
#include <optional>

namespace opcat::cue {

struct Compiled {
    Program program;
    std::map<std::string, NodeId, std::less<>> definitions; // of the file itself, by name with its "#" or "_"
};

// Everything that the file says is compiled, whether something refers to it or not. What cannot be is added
// to `problems`, as diagnostics of rule "schema-file"; then there is no program. `tree` may go away
// afterwards, `file` stays the place of diagnostics.
std::optional<Compiled> compile(const File& tree, const SourceFile& file, Diagnostics& problems);

} // namespace opcat::cue
