#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/planning/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::planning {
namespace {

using CommandJson = nlohmann::ordered_json;

// A word of a shell: as it is if nothing in it means anything to a shell, else in quotes.
std::string shell_word(std::string_view text) {
    const bool is_plain =
        !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
            return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
                   std::string_view("-_./:@=,+").find(c) != std::string_view::npos;
        });
    return is_plain ? std::string(text) : "'" + replace_all(std::string(text), "'", "'\\''") + "'";
}

// A comment cannot end before its line does.
std::string comment(std::string_view text) {
    return fmt::format("# {}\n", escape_controls(text));
}

std::string patch(const InstalledOperator& installed, const CommandJson& change) {
    const bool is_classic = installed.olm == OlmGeneration::classic;
    const std::string name = installed.name.empty() ? (is_classic ? "SUBSCRIPTION" : "CLUSTEREXTENSION")
                                                    : shell_word(installed.name);
    if (!is_classic)
        return fmt::format("oc patch clusterextensions.olm.operatorframework.io {} --type merge -p {}\n",
                           name, shell_word(as_line(change)));
    return fmt::format("oc patch subscriptions.operators.coreos.com {} -n {} --type merge -p {}\n", name,
                       installed.ns.empty() ? "NAMESPACE" : shell_word(installed.ns),
                       shell_word(as_line(change)));
}

std::string command_for(const PlanStep& step, const InstalledOperator& installed) {
    const bool is_classic = installed.olm == OlmGeneration::classic;
    const auto of_catalog = [](CommandJson change) {
        return CommandJson{{"spec", {{"source", {{"catalog", std::move(change)}}}}}};
    };
    if (step.by_itself) return comment("OLM does it by itself: wait until `opcat status` shows it");
    switch (step.kind) {
    case PlanStep::Kind::switch_channel:
        return patch(installed, is_classic ? CommandJson{{"spec", {{"channel", step.to}}}}
                                           : of_catalog({{"channels", CommandJson::array({step.to})}}));
    case PlanStep::Kind::stop_automatic:
        return patch(installed, is_classic ? CommandJson{{"spec", {{"installPlanApproval", "Manual"}}}}
                                           : of_catalog({{"version", step.version}}));
    case PlanStep::Kind::upgrade:
        if (!is_classic) return patch(installed, of_catalog({{"version", step.version}}));
        return fmt::format("opcat approve {} -n {}\n", shell_word(installed.package),
                           installed.ns.empty() ? "NAMESPACE" : shell_word(installed.ns));
    }
    return {};
}

std::string commands_of(const ClusterPlan& plan, size_t at, const std::vector<std::vector<StepRef>>& groups) {
    std::string text;
    for (const std::vector<StepRef>& group : groups)
        for (const StepRef& ref : group) {
            const OperatorPlan& one = *plan.operators[ref.operator_index];
            const PlanStep& step = one.stops[at].steps[ref.step];
            text += comment(fmt::format("{}: {}", title_of(one.installed), describe(step, one.installed))) +
                    command_for(step, one.installed);
        }
    return text;
}

} // namespace

std::string plan_as_commands(const ClusterPlan& plan, const ReportHeader& header) {
    std::string text = comment(fmt::format("OpenShift {} to {}: {}", header.from, header.to, summary(plan)));
    text += comment("replace words in capitals: their values are not known");
    text += "set -e\n"; // no step without the ones before it
    for (const auto& one : plan.operators) {
        if (one->verdict == Verdict::blocked)
            text += comment(fmt::format("NO WAY: {}: {}; way out: {}", title_of(one->installed),
                                        one->blocked.text, one->way_out));
        if (one->verdict == Verdict::unknown)
            text += comment(fmt::format("NOT KNOWN: {}: {}", title_of(one->installed), one->unknown));
    }
    // A script that goes on past a block would upgrade a cluster that must not be.
    if (plan.verdict != Verdict::ok) text += "echo 'this plan does not reach its target' >&2\nexit 1\n";
    for (size_t at = 0; at < plan.stops.size(); ++at) {
        const ClusterStop& stop = plan.order[at];
        text += commands_of(plan, at, stop.after) + commands_of(plan, at, stop.before);
        if (at + 1 == plan.stops.size()) break;
        const std::string next = plan.stops[at + 1].version.to_string();
        // Without a version the command shows what there is, and a script would go on at once.
        text += fmt::format(
            "\n{0}oc adm upgrade channel CHANNEL-{1}\noc adm upgrade --to {1}.PATCH\n"
            "oc wait clusterversion/version --for=jsonpath='{{.status.history[0].version}}'={1}.PATCH "
            "--timeout=10m\n"
            "oc wait clusterversion/version --for=jsonpath='{{.status.history[0].state}}'=Completed "
            "--timeout=6h\n",
            comment(fmt::format("upgrade the cluster to OpenShift {}; its catalogs are then those "
                                "of that version",
                                next)),
            next);
    }
    return text;
}

} // namespace opcat::planning
