// A text line by line.
#pragma once

#include <string_view>
#include <vector>

namespace opcat {

// Its lines without their line breaks (LF). The last one need not end with one; an empty text has none.
std::vector<std::string_view> lines_of(std::string_view text);

} // namespace opcat
