// One line of comma-separated values, as the flags of Go programs take lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// The values of a flag: separated by commas, in double quotes where a value holds a comma, a quote (written
// twice) or a line break. Throws UsageError for quotes in the wrong place.
std::vector<std::string> split_list(std::string_view text);

} // namespace opcat
