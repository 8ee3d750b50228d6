#include "opcat/lint/counts.hpp"
#include "opcat/policy/test_output.hpp"
#include "opcat/reports/report.hpp"

#include <fmt/core.h>

#include <chrono>

namespace opcat {

std::string findings_as_tekton(const Diagnostics& findings, const ReportContext& context) {
    if (!context.test_output.empty()) return context.test_output;
    const FindingCounts counts = count_findings(findings);
    const std::string found = describe(counts);
    std::string left_out;
    for (const NotChecked& one : not_checked_in(context.left_out)) left_out += "; not checked: " + one.check;
    return policy::to_json(
        {.result = counts.errors > 0 ? policy::TaskResult::failure : policy::TaskResult::success,
         .has_warnings = counts.warnings > 0,
         .successes = counts.errors > 0 ? 0U : 1U,
         .failures = counts.errors,
         .warnings = counts.warnings,
         .note = fmt::format("opcat validate: {}{}", found.empty() ? "no findings" : found, left_out)},
        std::chrono::system_clock::now());
}

} // namespace opcat
