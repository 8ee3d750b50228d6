// Decides if Go can decode a value into a type, and with which message it refuses.
#pragma once

#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/type.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::go {

enum class UnknownKeys : uint8_t {
    skip,
    list,
    refuse, // an error, as with DisallowUnknownFields
};

// A value that Go refuses.
struct Misfit {
    Value value;                  // or a key that is not a field
    const Type* wanted = nullptr; // nullptr: the key is unknown
    const Type* in = nullptr;     // the innermost structure around it; nullptr: none
    std::string path;             // "spec.deployments[0].name", with keys as they are written
    std::string go_path;          // "spec.deployments.name": the fields only, as the types have them

    // "spec.deployments[0].replicas must be a 32-bit integer, not a list"; the path begins with `start`.
    std::string message(std::string_view start = {}) const;
    // "json: cannot unmarshal array into Go struct field DeploymentSpec.spec.deployments.replicas of type
    // int32".
    std::string go_message() const;
};

struct UnknownKey {
    Value key;
    Value object; // that it is in
    const Type* in;
};

struct Decoded {
    std::vector<Misfit> misfits; // in the order of the value
    std::vector<UnknownKey> unknown_keys;
    std::vector<UnknownKey> keys_in_other_case; // of fields; listed together with the unknown ones
};

struct Policy {
    Route route = Route::map;
    UnknownKeys unknown_keys = UnknownKeys::skip;
    bool only_first_misfit = false; // and no unknown keys after it
};

// Walks the parts of the value that have a place in the type. Null is allowed nearly everywhere. Linear in
// the size of the value.
Decoded decode(const Value& value, const Type& type, Policy policy);

// The first misfit.
std::optional<Misfit> find_misfit(const Value& value, const Type& type, Route route);

// Go's error about a value; empty if it decodes. Of several mistakes Go reports the first one.
std::string decode_error(const Value& value, const Type& type, Route route,
                         UnknownKeys unknown_keys = UnknownKeys::skip);

} // namespace opcat::go
