// Output for terminals that cannot show more than ASCII.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// `text` with the characters that opcat draws with (lines, dots, arrows, dashes) in ASCII, and `ellipsis` for
// "…". All else, such as a name from a catalog, stays as it is. Lines, dots and dashes keep their width.
std::string draw_in_ascii(std::string_view text, std::string_view ellipsis = "...");

} // namespace opcat
