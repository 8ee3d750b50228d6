#include "findings.hpp"

#include "session.hpp"

namespace opcat {

void print_findings(const Diagnostics& findings, const Session& session) {
    const DiagnosticStyle style{session.colour_on_stderr(), session.width_of_stderr()};
    for (const Diagnostic& finding : findings) session.print(to_text(finding, style));
}

} // namespace opcat
