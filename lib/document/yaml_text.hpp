// Text as libyaml's emitter looks at it.
#pragma once

#include <cstddef>
#include <string_view>

namespace opcat {

struct YamlCharacter {
    size_t length; // bytes
    bool printable;
    bool is_break; // LF, CR, U+0085, U+2028, U+2029
};

// The character that begins at a byte of valid UTF-8.
YamlCharacter yaml_character_at(std::string_view text, size_t at);

// How many characters valid UTF-8 has.
int count_characters(std::string_view text);

// In which styles a scalar may be written, in block context.
struct ScalarAnalysis {
    bool multiline = false;
    bool plain_allowed = true;
    bool single_quoted_allowed = true;
    bool literal_allowed = true;
};
ScalarAnalysis analyse_scalar(std::string_view text);

} // namespace opcat
