// opm writes YAML by way of JSON text that is read as YAML again (../shared/design/compat.md): what that does
// to a string.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// Whether it gets through: control characters that JSON need not escape (U+007F to U+009F) make opm fail.
bool survives_json_text(std::string_view text);

// U+0085 is not escaped in JSON text, and then folded like a line break in a quoted YAML string.
bool has_next_lines(std::string_view text);
std::string with_next_lines_folded(std::string_view text);

// A key whose JSON text has more than 1024 characters makes opm fail, too.
bool is_too_long_as_key(std::string_view key);

} // namespace opcat
