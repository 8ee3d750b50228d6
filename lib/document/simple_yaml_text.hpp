// Characters and escapes of the YAML that read_simple_yaml takes.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// Whether all bytes are ones that YAML allows and that end lines only where LF stands. Tabs pass.
bool has_simple_characters(std::string_view text);

// Appends what the escape sequence of double quotes at `at` means, and returns where it ends; nullptr if it
// is for libyaml.
const char* append_escaped(std::string& text, const char* at, const char* end);

} // namespace opcat
