// Tables for people.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// Lines of cells that are separated by tabs, the first with the titles, as a table: columns are as wide as
// their widest cell and two blanks, in columns of a terminal, so wide characters do not break it. No blanks
// at the ends of lines.
//
// If it is wider than `width` (0: no limit), columns without a value go, and then the widest cells lose their
// middle ("…") until it fits, but keep at least 8 columns.
std::string align_table(std::string_view text, size_t width = 0);

} // namespace opcat
