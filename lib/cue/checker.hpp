// Whether a document is what a schema wants: what `cue vet` would say; and why it is not.
#pragma once

#include "opcat/cue/program.hpp"
#include "opcat/document/value.hpp"

#include <string>
#include <vector>

namespace opcat::cue {

// The deepest nesting of a document that is checked, and how many values are looked at (some several times,
// where a schema has alternatives) before checking is given up.
constexpr unsigned max_checked_depth = 1'000;
constexpr uint64_t max_checked_values = 20'000'000;

struct Outcome {
    State state = State::complete;
    bool gave_up = false; // a limit was met; `state` says nothing
};

// Allocates nothing, except for list.UniqueItems of long lists and what RE2 keeps of an expression that it
// has not seen at work. May run on several threads.
Outcome check(const Program& program, NodeId node, const Value& value);
// The same, for several values that share a budget of values looked at.
Outcome check(const Program& program, NodeId node, const Value& value, uint64_t& budget);

// Which alternative of a node a value is: what a disjunction comes to.
struct Choice {
    const Alternative* alternative = nullptr; // nullptr: none, or several that differ
    State state = State::bottom;
    bool ambiguous = false;
};
Choice choose(const Program& program, const Node& node, const Value& value, uint64_t& budget);

struct Violation {
    std::string path;        // of the value: "entries[2].name"; empty for the document itself
    const Value* value;      // its place: the value, or the key that is too many
    std::string message;     // what is wrong, to follow the path: "must be a string, not a number"
    std::string help;        // may be empty
    Range schema;            // what wants it so
    size_t alternatives = 0; // of a disjunction of which this is about the nearest; else 0
};

// `path` is that of the value itself. All of them, in the order of the document, up to a hundred. Of a
// disjunction only what the nearest alternative wants is reported.
std::vector<Violation> find_violations(const Program& program, NodeId node, const Value& value,
                                       const std::string& path = {});

} // namespace opcat::cue
