// Findings, shown.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/selection.hpp"
#include "opcat/lint/subject.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace opcat {

// As text on standard error, for commands whose output is something else. Notes are left out, with --quiet
// warnings as well.
void print_findings(const Diagnostics& findings, const Session& session);

// The same for findings of loading: whether the command can continue. Warnings do not prevent it; if there
// are errors, the exit status becomes theirs.
bool report_findings(const Diagnostics& findings, Session& session);

struct FindingCounts {
    size_t errors = 0;
    size_t warnings = 0;
    size_t notes = 0;
    size_t files = 0;      // with at least one finding
    size_t unreadable = 0; // errors about files that could not be read
    size_t limited = 0;    // errors about what was left out because it is too much
};
FindingCounts count_findings(const Diagnostics& findings);

// An unreadable file is not a mistake in the catalog, and what was left out may have others.
ExitStatus exit_status_of(const FindingCounts& counts);

// "2 errors, 1 warning in 1 file"; empty if there are none.
std::string describe(const FindingCounts& counts);

// The findings as one JSON object of schema "opcat.findings.v1" (docs/json-output.md), with a line break at
// the end.
std::string findings_as_json(const Diagnostics& findings, const Subjects& subjects = {},
                             const LeftOut& left_out = {});
// The member "summary" of that.
nlohmann::ordered_json summary_of(const Diagnostics& findings, const LeftOut& left_out);

} // namespace opcat
