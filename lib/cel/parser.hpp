// From text to a tree: the grammar of the CEL specification.
#pragma once

#include "opcat/cel/token.hpp"
#include "opcat/cel/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace opcat::cel {

using NodeId = uint32_t;

enum class NodeKind : uint8_t { constant, identifier, select, call, list, map, message, comprehension };
enum class Macro : uint8_t { all, exists, exists_one, map, filter };

struct Node {
    NodeKind kind = NodeKind::constant;
    size_t position = 0; // what messages about the node point at
    // identifier: itself; select: the field; call: the function; message: the type; comprehension: the
    // variable
    std::string name;
    Value constant;
    bool member = false;    // call: the first child is the receiver
    bool test_only = false; // select: has()
    Macro macro = Macro::all;
    // select: operand; call: arguments; list: items; map: keys and values in turn; comprehension: the range,
    // then what is in the parentheses after the variable
    std::vector<NodeId> children;
};

// The longest way down is bounded by the parser, so that recursion over a tree is safe.
struct Tree {
    std::vector<Node> nodes;
    NodeId root = 0;

    const Node& operator[](NodeId id) const { return nodes[id]; }
};

// The deepest nesting, of parentheses as well as of chains of operators and selections.
constexpr int max_depth = 250;

// Macros are recognised. The tree is of no use if there are issues; of syntax errors there is one at most
// where the parser ends, and another where the scanner does.
Tree parse(const Source& source, Issues& issues);

} // namespace opcat::cel
