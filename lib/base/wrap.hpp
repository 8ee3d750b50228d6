// Paragraphs cut into lines.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// `text` with line breaks at blanks, so that no line has more than `width` terminal columns unless a word
// has. Lines but the first begin with `indent` blanks, which do not count.
std::string wrap(std::string_view text, size_t width, size_t indent = 0);

} // namespace opcat
