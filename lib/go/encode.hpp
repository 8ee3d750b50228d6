// What Go makes of a value that it has decoded into a struct.
#pragma once

#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/type.hpp"

namespace opcat::go {

// What Go writes when it has decoded `value` and encodes it again: only fields of the type, under their
// names, without those that are empty and may be left out. `value` has no misfit (decode.hpp). All text is
// copied into the arena.
Value recode(const Value& value, const Type& type, Route route, Arena& arena);

// The value with the keys of the type's fields written as Go writes them; all else stays. Refers to `value`.
Value with_field_names(const Value& value, const Type& type, Route route, Arena& arena);

} // namespace opcat::go
