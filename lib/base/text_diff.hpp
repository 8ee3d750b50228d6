// Differences of two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// What `diff -u` and git show, with three lines around each change: "--- NAME", "+++ NAME", and hunks. Empty
// if the texts are equal. Time and memory grow with the number of lines times that of the lines that differ;
// beyond a thousand differences all lines between the first and the last one are taken to differ.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

} // namespace opcat
