// Text for less room than it needs.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// At most `columns` (1 or more) columns of a terminal of `text`, with "…" in place of its middle if it is
// longer: names begin alike, and end in their versions.
std::string shorten(std::string_view text, size_t columns);

} // namespace opcat
