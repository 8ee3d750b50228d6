// Messages of Go's encoding/json and fmt, because OLM shows them to users.
#pragma once

#include "opcat/document/value.hpp"

#include <string>
#include <string_view>

namespace opcat::go {

// Go's names for the kinds of JSON values: "bool", "number", "array".
std::string_view json_kind(Value::Kind kind);

// Why the text is not JSON; empty if it is.
std::string json_syntax_error(std::string_view text);

// "json: cannot unmarshal string into Go struct field Constraint.package of type
// constraints.PackageConstraint"; without a path of fields, "… into Go value of type …".
std::string mismatch(const Value& value, std::string_view go_struct, std::string_view path,
                     std::string_view go_type);

// A normalised value (document/normalise.hpp) as fmt's verb %v prints it, and as %t does, which is for
// booleans only: "%!t(string=x)".
std::string print_v(const Value& value);
std::string print_t(const Value& value);

} // namespace opcat::go
