// Tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opcat {

enum class EmptyColumns : uint8_t { dropped, kept };

// Lines of cells that are separated by tabs, the first with the titles, as a table: columns are as wide as
// their widest cell and two blanks, in columns of a terminal, so wide characters do not break it. No blanks
// at the ends of lines.
//
// Columns in which only the title stands are dropped, unless they are to be kept. If the table is wider than
// `width` (0: no limit), the widest cells lose their middle ("…") until it fits, but keep at least 8 columns.
std::string align_table(std::string_view text, size_t width = 0, EmptyColumns empty = EmptyColumns::dropped);

} // namespace opcat
