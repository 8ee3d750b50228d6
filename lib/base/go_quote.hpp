// Text quoted as Go's %q does, so that messages are the same as OLM's.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// `text` in double quotes. Quotes, backslashes, control characters, bytes that are not UTF-8 and characters
// that are not printable (see unicode.hpp) are escaped; the result is valid UTF-8 on one line.
std::string go_quote(std::string_view text);

} // namespace opcat
