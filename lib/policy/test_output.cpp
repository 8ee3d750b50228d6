#include "opcat/policy/test_output.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/policy/policy.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <utility>

namespace opcat::policy {
namespace {

int badness(const TestOutput& output) {
    if (output.result == TaskResult::error || output.result == TaskResult::none) return 3;
    return output.result == TaskResult::failure ? 2 : output.has_warnings ? 1 : 0;
}

TestOutput of_task(const TaskVerdict& verdict) {
    TestOutput output{.result = verdict.result == TaskResult::none ? TaskResult::error : verdict.result,
                      .successes = verdict.successes,
                      .failures = verdict.failures,
                      .note = verdict.note};
    return output;
}

// Returns the result of a pipeline that has no TEST_OUTPUT itself: its tests pass or fail as a whole.
TestOutput of_other_tasks(const PolicyRun& run) {
    TestOutput output;
    for (const Diagnostic& finding : findings_of(run)) {
        if (finding.severity == Severity::error) output.failures += finding.count;
        if (finding.severity == Severity::warning) output.warnings += finding.count;
    }
    output.has_warnings = output.warnings > 0;
    output.result = output.failures > 0 ? TaskResult::failure : TaskResult::success;
    output.successes = output.failures > 0 ? 0 : 1;
    const size_t left_out = not_checked_by(run).size();
    output.note =
        fmt::format("policy {} of opcat: {}, {}{}", to_string(run.policy), counted(output.failures, "error"),
                    counted(output.warnings, "warning"),
                    left_out > 0 ? fmt::format("; {} not made here", counted(left_out, "check")) : "");
    return output;
}

} // namespace

std::string to_json(const TestOutput& output, std::chrono::system_clock::time_point now) {
    const std::tm utc = fmt::gmtime(std::chrono::system_clock::to_time_t(now));
    const bool warns = output.result == TaskResult::success && output.has_warnings;
    return as_line(nlohmann::ordered_json{{"result", warns ? "WARNING" : to_string(output.result)},
                                          {"timestamp", fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", utc)},
                                          {"note", output.note},
                                          {"namespace", "default"},
                                          {"successes", output.successes},
                                          {"failures", output.failures},
                                          {"warnings", output.warnings}}) +
           "\n";
}

TestOutput test_output_of(std::span<const PolicyRun> runs) {
    TestOutput all;
    const auto add = [&](TestOutput one) {
        all.successes += one.successes;
        all.failures += one.failures;
        all.warnings += one.warnings;
        if (all.note.empty() || badness(one) > badness(all)) {
            all.result = one.result;
            all.has_warnings = one.has_warnings;
            all.note = std::move(one.note);
        }
    };
    for (const PolicyRun& run : runs) {
        if (run.fragment) add(of_task(*run.fragment));
        if (run.pruning) add(of_task(*run.pruning));
        if (run.policy != Pipeline::konflux) add(of_other_tasks(run));
    }
    return all;
}

} // namespace opcat::policy
