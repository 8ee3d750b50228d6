// Text in columns, as Go's text/tabwriter aligns it.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// Cells are separated by tabs, and each column is as wide as its widest cell in neighbouring lines plus
// `padding` blanks; what follows the last tab of a line is no cell of a column. Width counts code points.
// Text within a cell that has tabs or line breaks of its own moves the cells behind it, as in Go.
std::string align_columns(std::string_view text, size_t padding = 2);

} // namespace opcat
