// JSON as Go's encoding/json writes it, without HTML escapes.
#pragma once

#include "opcat/document/value.hpp"

#include <string>

namespace opcat {

// Appends the value with four spaces of indentation per level, members in their order, and a line break at
// the end: one value of a catalog as opm prints it.
void append_json(std::string& out, const Value& value);

// The same on one line, without spaces and without a line break.
void append_compact_json(std::string& out, const Value& value);

// Escapes '<', '>' and '&' in JSON text from `begin` on; outside of strings these characters are not allowed.
void escape_html_in_json(std::string& json, size_t begin = 0);

// A value on one line with '<', '>' and '&' escaped everywhere, Go's default.
void append_html_safe_json(std::string& out, const Value& value);

// A string with its quotes and escapes.
void append_json_string(std::string& out, std::string_view text);

} // namespace opcat
