// Text for less room than it needs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace opcat {

// At most `columns` (1 or more) columns of a terminal of `text`, with "…" in place of its middle if it is
// longer: names begin alike, and end in their versions.
std::string shorten(std::string_view text, size_t columns);

// The first of `items` that fit into `columns`, with commas between them, and how many more there are. The
// first one always stands.
std::string shorten_list(std::span<const std::string_view> items, size_t columns);

} // namespace opcat
