// Text laid out for people: tables, tables as Go prints them, and paragraphs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

enum class EmptyColumns : uint8_t { dropped, kept };

// Lines of cells that are separated by tabs, the first with the titles, as a table: columns are as wide as
// their widest cell and two blanks, in columns of a terminal, so wide characters do not break it. No blanks
// at the ends of lines.
//
// Columns that have only a title are dropped, unless they are to be kept. If the table is wider than
// `width` (0: no limit), the widest cells lose their middle ("…") until it fits, but keep at least 8 columns.
std::string align_table(std::string_view text, size_t width = 0, EmptyColumns empty = EmptyColumns::dropped);

// Rows of cells, as such a table with all columns; control characters in them are escaped.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

// As Go's text/tabwriter aligns text, which opm uses: cells are separated by tabs, and each column is as wide
// as its widest cell in neighbouring lines plus `padding` blanks; what follows the last tab of a line is no
// cell of a column. Width counts code points. Text within a cell that has tabs or line breaks of its own
// moves the cells after it, as in Go.
std::string align_columns(std::string_view text, size_t padding = 2);

// Text from a cluster for a terminal: control characters are escaped, lines after the first indented. No
// blanks or line breaks at its end.
std::string for_terminal(const std::string& text, unsigned indent);

} // namespace opcat
