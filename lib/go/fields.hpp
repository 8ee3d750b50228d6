// Members of objects as Go's encoding/json finds the fields of a struct in them.
#pragma once

#include "opcat/document/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

// How a value reaches the struct. That settles which members of an object count.
namespace go {
enum class Route : uint8_t {
    // encoding/json reads the text itself: every member is decoded as it comes, so where several mean one
    // field, or a key is repeated, each of them must fit, and the one written last counts. For example the
    // annotation olm.properties.
    text,
    // The text was decoded into a map first, as opm does with a blob and every reader of YAML with YAML. Of a
    // repeated key only the last is left; the rest comes in byte order of its keys.
    map,
    // A map, as before, and Kubernetes' converter, to which a key in another letter case means nothing.
    converter,
};
} // namespace go

// Whether `key` means the field, whose name is ASCII: letter case does not count. Beside the two cases of
// ASCII letters, Unicode knows one letter more that is an s (U+017F) and one that is a k (U+212A).
bool means_field(std::string_view key, std::string_view field);

// What the field of an object becomes, where several members mean it: null changes nothing, so it is the last
// value that is not null, or null if all are; nullptr if there is none, or no object.
const Value* find_field(const Value& object, std::string_view field, go::Route route = go::Route::map);
// The text of the field; empty where it is missing or not a string.
std::string_view field_text(const Value& object, std::string_view field, go::Route route = go::Route::map);
// Where the field is a pointer or a list: null takes it away again. So it is the last value, or nullptr if
// that is null.
const Value* find_pointer_field(const Value& object, std::string_view field,
                                go::Route route = go::Route::map);

// The items of a list; none where there is no list.
std::span<const Value> items_of(const Value* list);

// Bytes from base64, or from a list of numbers up to 255, in which null is 0; null itself stands for none.
// Nothing if the value is none of these.
std::optional<std::string> go_bytes(const Value& value);

} // namespace opcat
