// Whether an expression makes sense, and what type it has: cel-go's rules.
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

// What does not fit is reported in `issues`.
Type check(const Tree& tree, std::span<const Variable> variables, Issues& issues);

// The names that stand for types ("int", "google.protobuf.Timestamp") as values; nullptr for others. The
// result is what such a value is called.
const std::string_view* type_named(std::string_view name, Type* type = nullptr);

} // namespace opcat::cel
