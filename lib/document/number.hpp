// Numbers as Go reads and writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// Go's strconv.ParseFloat for decimal notation without underscores: nothing if the text is not a number or
// exceeds a double; numbers that are too small become 0.
std::optional<double> parse_real(std::string_view text);

// As Go's encoding/json writes a double: the shortest text that reads back the same, with an exponent below
// 1e-6 and from 1e21. The value is finite.
void append_json_real(std::string& out, double value);

// As Go's yaml.v2 writes it: strconv's 'g' format with the shortest digits, which has an exponent below 1e-4
// and from 1e6 on: 1234567.5 is 1.2345675e+06. Keys are rounded to a 32-bit float first.
void append_g_real(std::string& out, double value);
void append_g_float(std::string& out, float value);

} // namespace opcat
