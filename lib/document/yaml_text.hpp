// Decides how text is written as YAML: the styles that libyaml's emitter allows, and the effect of opm's
// conversion through JSON text on a string.
#pragma once

#include "opcat/base/go_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

// The line breaks of YAML 1.1 next to CR and LF: U+0085, U+2028, U+2029.
constexpr std::string_view yaml_line_breaks[] = {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

// The first line of a text, without its break.
std::string_view first_yaml_line(std::string_view text);

struct YamlCharacter {
    size_t length; // bytes
    bool printable;
    bool is_break; // LF, CR, U+0085, U+2028, U+2029
};

// The character that begins at a byte of valid UTF-8.
YamlCharacter yaml_character_at(std::string_view text, size_t at);

// The number of characters in valid UTF-8.
int count_characters(std::string_view text);

// The styles in which a scalar may be written, in block context.
struct ScalarAnalysis {
    bool multiline = false;
    bool plain_allowed = true;
    bool single_quoted_allowed = true;
    bool literal_allowed = true;
};
ScalarAnalysis analyse_scalar(std::string_view text);

// opm writes YAML by way of JSON text that is read as YAML again (docs/spec/opm.md). Whether a string
// survives that: control characters that JSON need not escape (U+007F to U+009F) make opm fail, and so does
// the end of a document, "---" or "...", after U+0085.
bool survives_json_text(std::string_view text);

// The same for the key of an object: it must be on one line, without U+0085, and have at most 1024 characters
// in JSON text.
bool survives_json_text_as_key(std::string_view key);

// U+0085 is not escaped in JSON text, and then folded like a line break in a quoted YAML string.
bool has_next_lines(std::string_view text);
std::string with_next_lines_folded(std::string_view text);

// yaml.v2's order of keys: letters after everything else, numbers by their value. It is not transitive: "a1b"
// comes before "a9", that before "a10", and that before "a1b".
bool yaml_key_less(std::string_view a, std::string_view b);

// Sorts items by their keys in that order. Such an order allows several results, so the algorithm is part of
// it: the standard library's must not be used. Sorted items stay where they are.
template <typename T, typename KeyOf>
void sort_by_yaml_key(std::span<T> items, KeyOf key_of) {
    const auto less = [&](const T& a, const T& b) { return yaml_key_less(key_of(a), key_of(b)); };
    if (!std::is_sorted(items.begin(), items.end(), less)) go_sort(items, less);
}

} // namespace opcat
