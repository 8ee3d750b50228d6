// The probable cause of a syntax error, if the parser's message would be misleading: the place where it fails
// is often not where the author's mistake is.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// Replaces message, place and help of `problem`, a failure to read the bytes [begin, end) of its file, if the
// cause is known: a binary or UTF-16 file, merge conflict markers, a Helm or Jinja template, a tab in the
// indentation, a character that only looks like a blank, a missing blank after a colon, or a file whose name
// says that it is not YAML or JSON. Otherwise leaves it unchanged. Linear in end - begin.
void explain_syntax_problem(uint32_t begin, uint32_t end, Diagnostic& problem);

// Returns true if the file begins with the byte order mark of UTF-16. YAML allows such files, but opm cuts
// files into documents before decoding them.
bool is_utf16(std::string_view bytes);

// A character that looks like a blank or is invisible, and that YAML treats as a letter.
struct DeceptiveCharacter {
    size_t at; // byte offset in the text
    size_t length;
    std::string name;  // "no-break space (U+00A0)"
    std::string help;  // what to do about it
    std::string blank; // its replacement
};
std::optional<DeceptiveCharacter> find_deceptive_character(std::string_view text);

// The place of a colon that ends a key and lacks a blank after it: 4 for "name:stable". Not the colons in a
// URL, an image with its tag or a time of day.
std::optional<size_t> find_colon_without_blank(std::string_view line);

} // namespace opcat
