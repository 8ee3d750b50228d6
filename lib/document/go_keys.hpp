// Keys of objects as Go's encoding/json sees them, which finds a field in whatever letter case its key is.
#pragma once

#include "document/value.hpp"

#include <string>
#include <string_view>

namespace opcat {

// Whether `key` means the field, whose name is ASCII. Beside the two cases of ASCII letters, Unicode knows
// one letter more that is an s (U+017F) and one that is a k (U+212A).
bool means_field(std::string_view key, std::string_view field);

// What the field of an object becomes: Go reads the keys in byte order, and null changes nothing. So it is
// the last spelling's value that is not null, or null if all are; nullptr if there is none, or no object.
const Value* find_field(const Value& object, std::string_view field);
// Its text; empty where it is missing or no string.
std::string_view field_text(const Value& object, std::string_view field);

} // namespace opcat
