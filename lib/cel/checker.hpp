// Decides by cel-go's rules if an expression is valid, and which type it has.
#pragma once

#include "opcat/cel/parser.hpp"
#include "opcat/cel/token.hpp"
#include "opcat/cel/type.hpp"

#include <span>
#include <string_view>

namespace opcat::cel {

struct Variable {
    std::string_view name;
    Type type;
};

// Reports type errors in `issues`.
Type check(const Tree& tree, std::span<const Variable> variables, Issues& issues);

// Names of types ("int", "google.protobuf.Timestamp") that are values; nullptr for other names. The result is
// the value's name.
const std::string_view* type_named(std::string_view name, Type* type = nullptr);

} // namespace opcat::cel
