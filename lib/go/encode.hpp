// What Go makes of a value that it has decoded into a struct.
#pragma once

#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/type.hpp"

#include <string>

namespace opcat::go {

// What Go writes when it has decoded `value` and encodes it again: only fields of the type, under their
// names, without those that are empty and may be left out. `value` has no misfit (decode.hpp). All text is
// copied into the arena.
Value recode(const Value& value, const Type& type, Route route, Arena& arena);

// The value with the keys of the type's fields written as Go writes them; all else stays. Refers to `value`.
Value with_field_names(const Value& value, const Type& type, Route route, Arena& arena);

// What Kubernetes' readers of YAML make of a scalar where the type has a string: 1.10 is "1.1", yes is
// "true". Empty for null and collections.
std::string text_of_scalar(const Value& value);

// The value with these texts in place of scalars where the type has strings; all else stays. Refers to
// `value`.
Value with_strings(const Value& value, const Type& type, Arena& arena);

} // namespace opcat::go
