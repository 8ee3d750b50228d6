#include "opcat/base/text.hpp"
#include "opcat/planning/report.hpp"

#include <fmt/core.h>

namespace opcat::planning {
namespace {

std::string code(std::string_view text) {
    return markdown_code(text);
}

std::string markdown_steps(const ClusterPlan& plan, size_t at,
                           const std::vector<std::vector<StepRef>>& groups) {
    std::string text;
    size_t number = 0;
    for (const std::vector<StepRef>& group : groups)
        for (const StepRef& ref : group) {
            const OperatorPlan& one = *plan.operators[ref.operator_index];
            const PlanStep& step = one.stops[at].steps[ref.step];
            text += fmt::format("{}. {}: {} ({})\n", ++number, code(title_of(one.installed)),
                                code(describe(step, one.installed)), who_does(step, one.installed));
            if (group.size() > 1)
                text += fmt::format("   in one resolution with {} more\n", group.size() - 1);
            for (const std::string& reason : step.reasons) text += fmt::format("   - {}\n", code(reason));
        }
    return text;
}

} // namespace

std::string plan_as_markdown(const ClusterPlan& plan, const ReportHeader& header) {
    std::string text = fmt::format("# OpenShift {} to {}\n\n{}.\n", escape_controls(header.from),
                                   escape_controls(header.to), summary(plan));
    for (const Verdict verdict : {Verdict::blocked, Verdict::unknown}) {
        if (plan.count(verdict) == 0) continue;
        text += verdict == Verdict::blocked ? "\n## No way\n\n" : "\n## Not known\n\n";
        for (const auto& one : plan.operators)
            if (one->verdict == verdict)
                text += verdict == Verdict::blocked
                            ? fmt::format("- {}: {}. Way out: {}\n", code(title_of(one->installed)),
                                          code(one->blocked.text), code(one->way_out))
                            : fmt::format("- {}: {}\n", code(title_of(one->installed)), code(one->unknown));
    }
    for (size_t at = 0; at < plan.stops.size(); ++at) {
        const ClusterStop& stop = plan.order[at];
        const bool is_last = at + 1 == plan.stops.size();
        if (!stop.after.empty())
            text += fmt::format("\n## After the upgrade to OpenShift {}\n\n{}", stop.version.to_string(),
                                markdown_steps(plan, at, stop.after));
        if (is_last && stop.before.empty()) break;
        text += is_last ? fmt::format("\n## On OpenShift {}\n\n", stop.version.to_string())
                        : fmt::format("\n## Before OpenShift {}\n\n", plan.stops[at + 1].version.to_string());
        text += stop.before.empty() ? (plan.verdict == Verdict::ok ? "Nothing.\n" : "Nothing is known.\n")
                                    : markdown_steps(plan, at, stop.before);
        for (const auto& one : plan.operators)
            if (at < one->stops.size())
                for (const Obstacle& obstacle : one->stops[at].obstacles)
                    text += fmt::format("\n> {}: {}\n", code(title_of(one->installed)), code(obstacle.text));
    }
    const std::vector<PlanWarning> warnings = warnings_of(plan);
    if (!warnings.empty()) text += "\n## Warnings\n\n";
    for (const PlanWarning& warning : warnings)
        text += fmt::format("- {}: {}\n", code(title_of(plan.operators[warning.operator_index]->installed)),
                            code(warning.text));
    return text;
}

} // namespace opcat::planning
