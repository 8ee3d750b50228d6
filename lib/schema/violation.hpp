// Why a document is not what a schema wants.
#pragma once

#include "document/value.hpp"
#include "schema/program.hpp"

#include <string>
#include <vector>

namespace opcat::cue {

struct Violation {
    std::string path;        // of the value: "entries[2].name"; empty for the document itself
    const Value* value;      // where it stands: the value, or the key that is too many
    std::string message;     // what is wrong, to follow the path: "must be a string, not a number"
    std::string help;        // may be empty
    Range schema;            // what wants it so
    size_t alternatives = 0; // of a disjunction of which this is about the nearest; else 0
};

// `path` is that of the value itself. All of them, in the order of the document, up to a hundred. Of a
// disjunction only what the nearest alternative wants is told.
std::vector<Violation> find_violations(const Program& program, NodeId node, const Value& value,
                                       const std::string& path = {});

} // namespace opcat::cue
