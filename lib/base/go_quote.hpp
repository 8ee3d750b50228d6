// Text quoted as Go's %q does it, so that our messages read as OLM's do.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// `text` in double quotes. Quotes, backslashes, control characters, bytes that are not UTF-8 and whatever is
// not printable (see unicode.hpp) are written as escapes; the result is valid UTF-8 on one line.
std::string go_quote(std::string_view text);

} // namespace opcat
