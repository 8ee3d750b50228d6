// The classes of characters as of Unicode 15.0, the version that Go and therefore OLM use; and drawings for
// terminals that show ASCII only.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// No byte beyond 0x7f.
bool is_ascii(std::string_view text);

// Letters, marks, numbers, punctuation, symbols, and of all spaces only U+0020.
bool is_printable(char32_t c);

// General category L.
bool is_letter(char32_t c);

// General category Nd.
bool is_decimal_digit(char32_t c);

// Property White_Space.
bool is_white_space(char32_t c);

// Full case folding: texts that differ only in letter case become equal ("Straße" and "STRASSE" are
// "strasse"). Bytes that are not UTF-8 stay.
std::string case_folded(std::string_view text);

// `text` without white space at both ends. Bytes that are not UTF-8 are not white space.
std::string_view trim_white_space(std::string_view text);

// `text` with the characters that opcat draws with (lines, dots, arrows, dashes) in ASCII, and `ellipsis` for
// "…". Other text, such as a name from a catalog, is unchanged. Lines, dots and dashes keep their width.
std::string draw_in_ascii(std::string_view text, std::string_view ellipsis = "...");

} // namespace opcat
