#include "terminal/findings.hpp"

#include "help/markdown.hpp"
#include "opcat/reports/report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

void log_finding(const Diagnostic& finding, const Session& session) {
    Session::LogValues values{{"rule", std::string(finding.rule)}};
    if (finding.where) {
        const Position at = finding.where.file->position(finding.where.offset);
        values.emplace_back("file", fmt::format("{}:{}:{}", finding.where.file->path(), at.line, at.column));
    }
    if (!finding.help.empty()) values.emplace_back("help", finding.help);
    session.log(to_string(finding.severity), finding.message, values);
}

} // namespace

void print_findings(const Diagnostics& findings, const Session& session, Severity usual) {
    const DiagnosticStyle style{session.colour_on_stderr(), session.width_of_stderr()};
    const std::string page = style.colour && style.width > 0 ? rules_page() : std::string();
    const Severity least = session.options.quiet ? Severity::error : usual;
    Diagnostics bounded;
    if (findings.size() > Diagnostics::most) {
        bounded = findings;
        bounded.bound(); // which lists that grow do only now and then
    }
    for (const Diagnostic& finding : bounded.empty() ? findings : bounded) {
        if (finding.severity > least) continue;
        if (session.options.json_log)
            log_finding(finding, session);
        else
            session.print_drawing(with_rule_link(to_text(finding, style), finding.rule, page));
    }
}

bool report_findings(const Diagnostics& findings, Session& session) {
    print_findings(findings, session);
    const FindingCounts counts = count_findings(findings);
    if (counts.errors == 0) return true;
    session.exit_status = std::max<int>(session.exit_status, exit_status_of(counts));
    return false;
}

ExitStatus exit_status_of(const FindingCounts& counts) {
    if (counts.unreadable + counts.limited > 0) return exit_environment;
    return counts.errors > 0 ? exit_findings : exit_ok;
}

} // namespace opcat
