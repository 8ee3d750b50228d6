// Findings, shown.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/counts.hpp"
#include "terminal/session.hpp"

namespace opcat {

// As text on standard error, for commands whose output is something else: those of this severity and above,
// with --quiet only errors.
void print_findings(const Diagnostics& findings, const Session& session, Severity usual = Severity::warning);

// The same for findings of loading: whether the command can continue. Warnings do not prevent it; if there
// are errors, the exit status becomes theirs.
bool report_findings(const Diagnostics& findings, Session& session);

// An unreadable file is not a mistake in the catalog, and what was left out may have others.
ExitStatus exit_status_of(const FindingCounts& counts);

} // namespace opcat
