// What a cluster says, shown to people.
#pragma once

#include "cluster/operator_state.hpp"

#include <string>

namespace opcat {

// Text of a cluster as it may reach a terminal: control characters are escaped, lines after the first
// indented.
std::string for_terminal(const std::string& text, unsigned indent);

// What to do about a state, as a command where one does it; empty if nothing is known.
std::string advice_for(const cluster::OperatorState& state);

} // namespace opcat
