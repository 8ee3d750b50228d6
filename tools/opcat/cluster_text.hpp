// What a cluster says, shown to people.
#pragma once

#include <string>

namespace opcat {

// Text of a cluster as it may reach a terminal: control characters are escaped, lines after the first
// indented.
std::string for_terminal(const std::string& text, unsigned indent);

} // namespace opcat
