// From text to a tree: the grammar of the CEL specification, with cel-go's messages.
#pragma once

#include "cel/ast.hpp"
#include "cel/issues.hpp"

namespace opcat::cel {

// The deepest nesting, of parentheses as well as of chains of operators and selections.
constexpr int max_depth = 250;

// Macros are recognised. The tree is of no use if there are issues.
Tree parse(const Source& source, Issues& issues);

} // namespace opcat::cel
