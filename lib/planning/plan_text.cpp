#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/planning/report.hpp"

#include <fmt/core.h>

#include <set>

namespace opcat::planning {
namespace {

constexpr std::string_view blocked_title = "No way";
constexpr std::string_view unknown_title = "Not known";

std::string step_line(const ClusterPlan& plan, const StepRef& ref, const PlanStep& step, size_t number) {
    const InstalledOperator& installed = plan.operators[ref.operator_index]->installed;
    std::string line = fmt::format("  {:>3}. {}: {}", number, title_of(installed), describe(step, installed));
    if (!step.reasons.empty())
        line += fmt::format("\n       because: {}", escape_controls(listed(step.reasons)));
    return line + fmt::format("\n       {}\n", who_does(step, installed));
}

// Returns the words for an empty plan. If an operator is unknown or blocked, they do not say that nothing is
// to be done.
std::string_view nothing_of(const ClusterPlan& plan) {
    if (plan.verdict == Verdict::ok) return "nothing";
    return plan.count(Verdict::ok) == 0 ? "nothing is known"
                                        : "nothing, for the operators that can get there";
}

std::string text_steps(const ClusterPlan& plan, size_t at, const std::vector<std::vector<StepRef>>& groups) {
    std::string text;
    size_t number = 0;
    for (const std::vector<StepRef>& group : groups) {
        if (group.size() > 1)
            text += fmt::format("       the next {} are one resolution of OLM classic:\n", group.size());
        for (const StepRef& ref : group)
            text +=
                step_line(plan, ref, plan.operators[ref.operator_index]->stops[at].steps[ref.step], ++number);
    }
    return text;
}

std::string without_way(const ClusterPlan& plan) {
    std::string text;
    for (const auto& one : plan.operators) {
        if (one->verdict != Verdict::blocked) continue;
        if (text.empty()) text += fmt::format("\n{}\n", blocked_title);
        text += fmt::format("  {}: {}\n    {}\n    way out: {}\n", title_of(one->installed),
                            one->stops.empty()
                                ? std::string("it goes nowhere")
                                : fmt::format("{} goes no further than OpenShift {}",
                                              escape_controls(one->stops.back().leaves),
                                              plan.stops[one->stops.size() - 1].version.to_string()),
                            escape_controls(one->blocked.text), escape_controls(one->way_out));
    }
    std::string unknown;
    for (const auto& one : plan.operators) {
        if (one->verdict != Verdict::unknown) continue;
        if (unknown.empty()) unknown += fmt::format("\n{}\n", unknown_title);
        unknown += fmt::format("  {}: {}\n", title_of(one->installed), escape_controls(one->unknown));
        if (!one->unknown_hint.empty())
            unknown += fmt::format("    {}\n", escape_controls(one->unknown_hint));
    }
    return text + unknown;
}

std::string way_out_of(const OperatorPlan& plan, bool is_end) {
    if (!is_end) return "way out: the steps before it";
    return plan.verdict == Verdict::blocked ? "way out: " + plan.way_out : plan.unknown;
}

std::string obstacles_at(const ClusterPlan& plan, size_t at) {
    std::string text;
    for (const auto& one : plan.operators) {
        if (at >= one->stops.size()) continue;
        const bool is_end = at + 1 == one->stops.size();
        for (const Obstacle& obstacle : one->stops[at].obstacles)
            text += fmt::format("    {}: {}\n      {}\n", title_of(one->installed),
                                escape_controls(obstacle.text), escape_controls(way_out_of(*one, is_end)));
    }
    return text;
}

std::string waiting_at(const ClusterPlan& plan, size_t at) {
    std::string text;
    for (const auto& one : plan.operators)
        if (at < one->stops.size() && !one->stops[at].waits.empty())
            text += fmt::format("    {}: {} waits for an approval, which this plan does not need\n",
                                title_of(one->installed), escape_controls(one->stops[at].waits));
    return text;
}

} // namespace

std::string title_of(const InstalledOperator& installed) {
    const std::string name = installed.package.empty() ? installed.given : installed.package;
    return escape_controls(installed.ns.empty() ? name
                                                : fmt::format("{} (namespace {})", name, installed.ns));
}

std::string describe(const PlanStep& step, const InstalledOperator& installed) {
    const bool is_classic = installed.olm == OlmGeneration::classic;
    switch (step.kind) {
    case PlanStep::Kind::upgrade:
        return escape_controls(
            fmt::format("upgrade {} to {}{}", step.from, step.to,
                        step.channel.empty() ? "" : fmt::format(" in channel {}", step.channel)));
    case PlanStep::Kind::switch_channel:
        return escape_controls(fmt::format("{} channel {}", is_classic ? "subscribe to" : "name", step.to));
    case PlanStep::Kind::stop_automatic:
        return is_classic ? std::string("let upgrades wait for an approval")
                          : escape_controls(fmt::format("ask for version {} only", step.version));
    }
    return {};
}

std::string_view who_does(const PlanStep& step, const InstalledOperator& installed) {
    const bool is_classic = installed.olm == OlmGeneration::classic;
    if (step.by_itself) return "OLM does it by itself";
    if (step.kind != PlanStep::Kind::upgrade)
        return is_classic ? "change the Subscription" : "change the ClusterExtension";
    return is_classic ? "approve its InstallPlan" : "ask for this version in the ClusterExtension";
}

std::string summary(const ClusterPlan& plan) {
    const size_t ok = plan.count(Verdict::ok);
    std::string text = fmt::format("{} of {} can get there", ok, counted(plan.operators.size(), "operator"));
    if (const size_t blocked = plan.count(Verdict::blocked))
        text += fmt::format(", {} {} blocked", blocked, blocked == 1 ? "is" : "are");
    if (const size_t unknown = plan.count(Verdict::unknown))
        text += fmt::format(", {} {} not known", unknown, unknown == 1 ? "is" : "are");
    return text;
}

std::vector<PlanWarning> warnings_of(const ClusterPlan& plan) {
    std::vector<PlanWarning> warnings;
    for (size_t i = 0; i < plan.operators.size(); ++i) {
        std::set<std::string_view> seen;
        for (const OperatorStop& stop : plan.operators[i]->stops)
            for (const std::string& warning : stop.warnings)
                if (seen.insert(warning).second) warnings.push_back({i, warning});
    }
    return warnings;
}

std::string plan_as_text(const ClusterPlan& plan, const ReportHeader& header) {
    std::string text = fmt::format("OpenShift {} to {}: {}\n", escape_controls(header.from),
                                   escape_controls(header.to), summary(plan)) +
                       without_way(plan);
    for (size_t at = 0; at < plan.stops.size(); ++at) {
        const ClusterStop& stop = plan.order[at];
        const std::string here = stop.version.to_string();
        if (!stop.after.empty())
            text += fmt::format("\nAfter the upgrade to OpenShift {}\n{}", here,
                                text_steps(plan, at, stop.after));
        if (at + 1 == plan.stops.size()) {
            const std::string rest = text_steps(plan, at, stop.before) + waiting_at(plan, at);
            if (!rest.empty()) text += fmt::format("\nOn OpenShift {}\n{}", here, rest);
            break;
        }
        const std::string next = plan.stops[at + 1].version.to_string();
        text += fmt::format("\nOpenShift {} to {}{}\n", here, next,
                            plan.stops[at + 1].passing ? ", which is only passed" : "");
        text += stop.before.empty() ? fmt::format("  before it: {}\n", nothing_of(plan))
                                    : "  before it\n" + text_steps(plan, at, stop.before);
        text += waiting_at(plan, at);
        const std::string obstacles = obstacles_at(plan, at);
        if (!obstacles.empty()) text += "  at it\n" + obstacles;
    }
    std::string support;
    for (const auto& one : plan.operators)
        if (!one->stops.empty() && !one->stops.back().support.empty())
            support += fmt::format("  {}: {}: {}\n", title_of(one->installed),
                                   escape_controls(one->stops.back().leaves),
                                   escape_controls(one->stops.back().support));
    if (!support.empty()) text += fmt::format("\nSupport on {}\n{}", date_text(header.at), support);
    std::string warnings;
    for (const PlanWarning& warning : warnings_of(plan))
        warnings += fmt::format("  {}: {}\n", title_of(plan.operators[warning.operator_index]->installed),
                                escape_controls(warning.text));
    if (!warnings.empty()) text += "\nWarnings\n" + warnings;
    return text;
}

} // namespace opcat::planning
