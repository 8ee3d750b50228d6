// The fields of a Go struct in a JSON object, by the rules of encoding/json.
#pragma once

#include "opcat/document/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

// The way on which a value reaches the struct. It decides which members of an object count.
namespace go {
enum class Route : uint8_t {
    // encoding/json reads the text itself: every member is decoded in turn, so if several match one field, or
    // a key is repeated, each must have the right type, and the last one counts. For example the annotation
    // olm.properties.
    text,
    // The text was decoded into a map first, as opm does with a blob and every YAML reader with YAML. Only
    // the last of repeated keys remains; keys are visited in byte order.
    map,
    // A map, as before, and Kubernetes' converter, which ignores keys in another letter case.
    converter,
};
} // namespace go

// Returns true if `key` matches the field, whose name is ASCII, ignoring letter case. In addition to ASCII
// letters, Unicode has one more letter that folds to s (U+017F) and one that folds to k (U+212A).
bool means_field(std::string_view key, std::string_view field);

// The value of a field if several members match it: null changes nothing, so it is the last value other than
// null, or null if all are; nullptr if the member is absent or this is not an object.
const Value* find_field(const Value& object, std::string_view field, go::Route route = go::Route::map);
// The text of the field; empty if it is missing or not a string.
std::string_view field_text(const Value& object, std::string_view field, go::Route route = go::Route::map);
// For a pointer or a list, null resets the field: the last value, or nullptr if that is null.
const Value* find_pointer_field(const Value& object, std::string_view field,
                                go::Route route = go::Route::map);

// The items of a list; empty if it is not a list.
std::span<const Value> items_of(const Value* list);

// Bytes from base64, or from a list of numbers up to 255, in which null is 0; null itself is empty. Nothing
// for other values.
std::optional<std::string> go_bytes(const Value& value);

} // namespace opcat
