// What to tell people about the state of an operator.
#pragma once

#include "cluster/operator_state.hpp"
#include "terminal/progress.hpp"

#include <string>

namespace opcat {

// What to do about a state, as a command where one does it; empty if nothing is known.
std::string advice_for(const cluster::OperatorState& state);

} // namespace opcat
