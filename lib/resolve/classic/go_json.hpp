// How Go's encoding/json fills a struct of strings, and what it says where it cannot.
#pragma once

#include "opcat/document/value.hpp"
#include "opcat/go/words.hpp"

#include <span>
#include <string>
#include <string_view>

namespace opcat::classic {

using go::json_syntax_error;

inline std::string json_mismatch(const Value& value, std::string_view go_struct, std::string_view path,
                                 std::string_view go_type) {
    return go::mismatch(value, go_struct, path, go_type);
}

struct StringField {
    std::string_view name;
    std::string_view* value;
};

// Reads an object's members into fields. The result is the first thing that does not fit; empty if all does.
// `go_struct` and `go_type` are what messages call the struct.
std::string read_strings(const Value& object, std::span<const StringField> fields, std::string_view go_struct,
                         std::string_view go_type);

} // namespace opcat::classic
