// Why a text does not read as a catalog, where the parser's own words would mislead: what it stumbles over is
// often not what its author did wrong.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// Replaces message, place and help of `problem`, a failure to read the bytes [begin, end) of its file, if the
// cause is a known one: a binary or UTF-16 file, merge conflict markers, a Helm or Jinja template, a tab in
// the indentation, a character that only looks like a blank, no blank after a colon, or a file whose name
// says that it is not YAML or JSON. Otherwise leaves it alone. Linear in end - begin.
void explain_syntax_problem(uint32_t begin, uint32_t end, Diagnostic& problem);

// Whether the file begins with the byte order mark of UTF-16. YAML takes such files, but documents are cut
// before anybody decodes them.
bool is_utf16(std::string_view bytes);

// A character that looks like a blank or like nothing, and that YAML takes for a letter.
struct DeceptiveCharacter {
    size_t at; // byte offset in the text
    size_t length;
    std::string name;  // "no-break space (U+00A0)"
    std::string help;  // what to do about it
    std::string blank; // what to write in its place
};
std::optional<DeceptiveCharacter> find_deceptive_character(std::string_view text);

// The place of a colon that ends a key and lacks the blank after it: 4 for "name:stable". A colon within a
// URL, an image with its tag or a time of day is none.
std::optional<size_t> find_colon_without_blank(std::string_view line);

} // namespace opcat
