// Differences between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// The unified format of `diff -u` and git, with three lines around each change: "--- NAME", "+++ NAME", and
// hunks. Empty if the texts are equal. Time and memory are O(lines × differing lines); beyond a thousand
// differences all lines between the first and the last difference count as different.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

} // namespace opcat
