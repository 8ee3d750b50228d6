// JSON as values of nlohmann's library. Its reader and its writer are templates that take a compiler seconds
// wherever they are used; these functions are compiled once. `Json`: nlohmann::json, whose members are
// sorted, or nlohmann::ordered_json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// A discarded value for a text that is not JSON.
template <typename Json>
Json parse_json(std::string_view text);

// Nothing for a text that is not JSON, or is nested deeper than `max_depth`: nlohmann parses deep values
// without recursion, but destroys, compares and writes them with it.
constexpr int deepest_message = 256; // of JSON-RPC
template <typename Json>
std::optional<Json> parse_shallow_json(std::string_view text, int max_depth = 100);

// A key that one object of a JSON text has twice; of these only the last counts in all of the above. Empty if
// there is none.
std::string repeated_key(std::string_view text);

// On one line, without a line break. Bytes that are not UTF-8 become U+FFFD; control characters are escaped,
// also DEL and those of eight bits (U+0080 to U+009F), which a terminal may obey.
template <typename Json>
std::string as_line(const Json& json);

// The same with \uXXXX for what is not ASCII.
std::string as_ascii_line(const nlohmann::ordered_json& json);

// In opcat's format (docs/json-output.md; catalogs are written as opm writes them): indented by two blanks,
// with a line break at the end. Bytes that are not UTF-8 become U+FFFD, control characters are escaped as in
// as_line.
template <typename Json>
std::string as_document(const Json& json);

} // namespace opcat
