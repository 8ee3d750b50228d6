// What Go's encoding/json says about text that is not what it should be, because OLM passes that on to users.
#pragma once

#include "document/value.hpp"

#include <span>
#include <string>
#include <string_view>

namespace opcat::classic {

// Why the text is no JSON; empty if it is.
std::string json_syntax_error(std::string_view text);

// "json: cannot unmarshal string into Go struct field Constraint.package of type
// constraints.PackageConstraint"; without a field, "… into Go value of type …".
std::string json_mismatch(const Value& value, std::string_view go_struct, std::string_view path,
                          std::string_view go_type);

struct StringField {
    std::string_view name;
    std::string_view* value;
};

// Reads an object's members into fields. The result is the first thing that does not fit; empty if all does.
// `go_struct` and `go_type` are what messages call the struct.
std::string read_strings(const Value& object, std::span<const StringField> fields, std::string_view go_struct,
                         std::string_view go_type);

} // namespace opcat::classic
