// Whether a document is what a schema wants: what `cue vet` would say.
#pragma once

#include "document/value.hpp"
#include "schema/program.hpp"

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

} // namespace opcat::cue
