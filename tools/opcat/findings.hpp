// Findings, shown.
#pragma once

#include "support/diagnostic.hpp"

namespace opcat {

class Session;

// As text on standard error.
void print_findings(const Diagnostics& findings, const Session& session);

} // namespace opcat
