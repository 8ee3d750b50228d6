// Decides if a document matches a schema, as `cue vet` would, and says why not.
#pragma once

#include "opcat/cue/program.hpp"
#include "opcat/document/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::cue {

// The greatest nesting depth of a document, and how many values are checked (some several times if a schema
// has alternatives) before checking ends.
constexpr unsigned max_checked_depth = 1'000;
constexpr uint64_t max_checked_values = 20'000'000;

struct Outcome {
    State state = State::complete;
    bool gave_up = false; // a limit was exceeded; `state` is not valid
};

// Does not allocate, except for list.UniqueItems of long lists and RE2's state for an expression that is used
// for the first time. Thread-safe.
Outcome check(const Program& program, NodeId node, const Value& value);
// The same, for several values that share a budget.
Outcome check(const Program& program, NodeId node, const Value& value, uint64_t& budget);

// The alternative of a node that a value matches: the result of a disjunction.
struct Choice {
    const Alternative* alternative = nullptr; // nullptr: none, or several different ones
    State state = State::bottom;
    bool ambiguous = false;
};
Choice choose(const Program& program, const Node& node, const Value& value, uint64_t& budget);

// nullptr: the alternative does not list this name.
const Field* find_field(const Alternative& alternative, std::string_view name);

struct Violation {
    std::string path;        // of the value: "entries[2].name"; empty for the document itself
    const Value* value;      // its place: the value, or the key that is not allowed
    std::string message;     // what is wrong, to follow the path: "must be a string, not a number"
    std::string help;        // may be empty
    Range schema;            // what wants it so
    size_t alternatives = 0; // of a disjunction of which this is the nearest alternative; else 0
};

// `path` is that of the value itself. All violations in the order of the document, up to a hundred. For a
// disjunction only those of the nearest alternative.
std::vector<Violation> find_violations(const Program& program, NodeId node, const Value& value,
                                       const std::string& path = {});

} // namespace opcat::cue
