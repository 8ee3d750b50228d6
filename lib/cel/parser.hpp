// Parses the grammar of the CEL specification into a tree.
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
    size_t position = 0; // the place that messages about the node show
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

// The parser limits the depth, so that recursion over a tree is safe.
struct Tree {
    std::vector<Node> nodes;
    NodeId root = 0;

    const Node& operator[](NodeId id) const { return nodes[id]; }
};

// The greatest nesting depth, of parentheses as well as of chains of operators and selections.
constexpr int max_depth = 250;

// Expands macros. The tree is not usable if there are issues; at most one syntax error is from the parser,
// and one from the scanner.
Tree parse(const Source& source, Issues& issues);

} // namespace opcat::cel
