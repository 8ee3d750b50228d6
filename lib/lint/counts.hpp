// How many findings there are.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <cstddef>
#include <string>

namespace opcat {

struct FindingCounts {
    size_t errors = 0;
    size_t warnings = 0;
    size_t notes = 0;
    size_t files = 0;      // with at least one finding
    size_t unreadable = 0; // errors about files that could not be read
    size_t limited = 0;    // errors about what was left out because it is too much
};
FindingCounts count_findings(const Diagnostics& findings);

// "2 errors, 1 warning in 1 file"; empty if there are none.
std::string describe(const FindingCounts& counts);

} // namespace opcat
