// Members of objects as Go's encoding/json finds the fields of a struct in them.
#pragma once

#include "opcat/document/value.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

// Whether `key` means the field, whose name is ASCII: letter case does not count. Beside the two cases of
// ASCII letters, Unicode knows one letter more that is an s (U+017F) and one that is a k (U+212A).
bool means_field(std::string_view key, std::string_view field);

// What the field of an object becomes: Go reads the keys in byte order, and null changes nothing. So it is
// the last spelling's value that is not null, or null if all are; nullptr if there is none, or no object.
const Value* find_field(const Value& object, std::string_view field);
// The text of the field; empty where it is missing or not a string.
std::string_view field_text(const Value& object, std::string_view field);
// Where the field is a pointer: null takes it away again. So it is the last spelling's value, or nullptr if
// that is null.
const Value* find_pointer_field(const Value& object, std::string_view field);

// The items of a list; none where there is no list.
std::span<const Value> items_of(const Value* list);

// Bytes from base64, or from a list of numbers up to 255, in which null is 0; null itself stands for none.
// Nothing if the value is none of these.
std::optional<std::string> go_bytes(const Value& value);

} // namespace opcat
