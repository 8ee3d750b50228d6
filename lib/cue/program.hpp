// A compiled schema: for every place in a document a node, which says what is allowed there. All references,
// conjunctions and disjunctions are resolved, so that checking only follows indices.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/cue/constant.hpp"
#include "opcat/cue/parser.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace re2 {
class RE2;
}

namespace opcat::cue {

using NodeId = uint32_t;

// Sets of kinds of values.
using Kinds = uint8_t;
namespace kind {
constexpr Kinds null = 1;
constexpr Kinds boolean = 2;
constexpr Kinds integer = 4;
constexpr Kinds real = 8;
constexpr Kinds string = 16;
constexpr Kinds bytes = 32;
constexpr Kinds list = 64;
constexpr Kinds structure = 128;
constexpr Kinds number = integer | real;
constexpr Kinds any = 255;
} // namespace kind

// The result of evaluating a schema together with a document.
enum class State : uint8_t {
    bottom,     // they contradict each other
    incomplete, // something is missing or ambiguous
    complete,
};

struct Limit {
    enum class What : uint8_t {
        less,
        less_equal,
        greater,
        greater_equal,
        not_equal,
        match,
        not_match,
        min_runes,
        max_runes,
        min_items,
        max_items,
        unique_items,
    };

    What what;
    Constant operand;                           // of the first five
    uint64_t count = 0;                         // of min_… and max_…
    std::shared_ptr<const re2::RE2> expression; // of match and not_match
    Range where;
};

struct Field {
    std::string name;
    NodeId node = 0;
    Presence presence = Presence::regular;
    bool allowed = true; // otherwise it closes definitions that do not have it
    Range where;
};

struct Pattern {
    NodeId label; // of the names that it matches
    Range where;
};

// One alternative: all of this must hold.
struct Alternative {
    enum class Default : uint8_t { unmarked, yes, no };

    Default is_default = Default::unmarked;
    Kinds kinds = kind::any;
    std::optional<Constant> constant;
    std::vector<Limit> limits;
    Range where;

    // The structs, if any contributes.
    bool has_fields = false;
    std::vector<Field> fields; // by name
    std::vector<Pattern> patterns;
    // The node of a field that no name above matches, by the set of patterns that match its name. Empty
    // without patterns.
    std::vector<NodeId> by_patterns;
    // A name that is not listed above is allowed if each of these sets has a pattern that matches.
    std::vector<uint32_t> closed_by;
    // Definitions and hidden fields: not part of data, but they must be consistent.
    std::vector<NodeId> hidden;

    // For lists.
    bool has_items = false;
    std::vector<NodeId> items;
    std::optional<NodeId> rest; // of any further items; nothing: not allowed

    // Two alternatives give the same value only if this is equal: their structs with optional fields, and
    // lists with a type for further items.
    std::vector<const void*> origin;
};

struct Node {
    std::vector<Alternative> alternatives; // empty: nothing is allowed here
    State when_absent = State::bottom;     // the result without data
    Range where;
    std::string contradiction; // why there is no alternative
    bool forbidden = false;    // because the schema contains _|_
};

struct Program {
    std::vector<Node> nodes;
};

// The first node of every program: allows everything.
constexpr NodeId anything = 0;

// The most patterns in one struct.
constexpr size_t max_patterns = 6;

// Fills in Node::when_absent of all nodes. A struct that must contain itself without end is a contradiction.
void compute_completion(Program& program);

// Returns true if two nodes give the same value without data.
bool same_when_absent(const Program& program, NodeId a, NodeId b);

struct Compiled {
    Program program;
    std::map<std::string, NodeId, std::less<>> definitions; // of the file itself, by name with its "#" or "_"
};

// Compiles everything in the file, referenced or not. Errors are added to `problems`, as diagnostics of rule
// "schema-file"; then there is no program. `tree` may be destroyed afterwards, `file` remains the place of
// diagnostics.
std::optional<Compiled> compile(const File& tree, const SourceFile& file, Diagnostics& problems);

} // namespace opcat::cue
