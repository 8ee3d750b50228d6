// The result of decoding a value into a Go struct and encoding it again.
#pragma once

#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/type.hpp"

#include <string>

namespace opcat::go {

// Returns what Go writes after decoding `value` and encoding it again: only fields of the type, under their
// names, without empty ones that have "omitempty". `value` must be decodable (decode.hpp), and the type has
// no bytes. All text is copied into the arena.
Value recode(const Value& value, const Type& type, Route route, Arena& arena);

// The value with the keys of the type's fields in Go's spelling, otherwise unchanged. Refers to `value`.
Value with_field_names(const Value& value, const Type& type, Route route, Arena& arena);

// The string that Kubernetes' YAML readers make of a scalar if the type has a string: 1.10 is "1.1", yes is
// "true". Empty for null and collections.
std::string text_of_scalar(const Value& value);

// The value with these strings in place of scalars where the type has strings, otherwise unchanged. Refers to
// `value`.
Value with_strings(const Value& value, const Type& type, Arena& arena);

} // namespace opcat::go
