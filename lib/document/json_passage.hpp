// opm writes YAML by way of JSON text that is read as YAML again (../shared/design/compat.md): what that does
// to a string.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// Whether it gets through: control characters that JSON need not escape (U+007F to U+009F) make opm fail, and
// so does what ends a document, "---" or "...", behind U+0085.
bool survives_json_text(std::string_view text);

// The same for the key of an object: that must be on one line, without U+0085, and have no more than 1024
// characters in JSON text.
bool survives_json_text_as_key(std::string_view key);

// U+0085 is not escaped in JSON text, and then folded like a line break in a quoted YAML string.
bool has_next_lines(std::string_view text);
std::string with_next_lines_folded(std::string_view text);

} // namespace opcat
