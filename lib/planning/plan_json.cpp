#include "opcat/planning/report.hpp"

#include <nlohmann/json.hpp>

namespace opcat::planning {
namespace {

using Json = nlohmann::ordered_json;

Json step_as_json(const PlanStep& step, const InstalledOperator& installed, size_t index) {
    Json json{{"operator", index}, {"package", installed.package}, {"kind", to_string(step.kind)}};
    if (!step.from.empty()) json["from"] = step.from;
    json["to"] = step.to;
    if (!step.version.empty()) json["version"] = step.version;
    if (!step.channel.empty()) json["channel"] = step.channel;
    json["reasons"] = step.reasons;
    json["byItself"] = step.by_itself;
    return json;
}

Json steps_as_json(const ClusterPlan& plan, size_t at, const std::vector<std::vector<StepRef>>& groups) {
    Json json = Json::array();
    for (const std::vector<StepRef>& group : groups) {
        Json steps = Json::array();
        for (const StepRef& ref : group) {
            const OperatorPlan& one = *plan.operators[ref.operator_index];
            steps.push_back(step_as_json(one.stops[at].steps[ref.step], one.installed, ref.operator_index));
        }
        json.push_back(std::move(steps));
    }
    return json;
}

Json operator_as_json(const OperatorPlan& one, const std::vector<Stop>& stops) {
    const InstalledOperator& installed = one.installed;
    Json json{{"name", installed.given}, {"verdict", to_string(one.verdict)}};
    if (!installed.package.empty()) json["package"] = installed.package;
    if (!installed.bundle.empty()) json["bundle"] = installed.bundle;
    if (installed.version) json["version"] = installed.version->to_legacy_string();
    json["olm"] = to_string(installed.olm);
    if (!installed.channels.empty()) json["channels"] = installed.channels;
    if (!installed.ns.empty()) json["namespace"] = installed.ns;
    json["byHand"] = installed.by_hand;
    if (one.verdict == Verdict::blocked) {
        json["obstacle"] = {{"kind", to_string(one.blocked.kind)}, {"text", one.blocked.text}};
        json["wayOut"] = one.way_out;
    }
    if (one.verdict == Verdict::unknown) json["error"] = one.unknown;
    json["stops"] = Json::array();
    for (size_t at = 0; at < one.stops.size(); ++at) {
        const OperatorStop& stop = one.stops[at];
        Json own{
            {"openshift", stops[at].version.to_string()}, {"arrives", stop.arrives}, {"leaves", stop.leaves}};
        if (!stop.channel.empty()) own["channel"] = stop.channel;
        own["steps"] = stop.steps.size();
        for (const Obstacle& obstacle : stop.obstacles)
            own["obstacles"].push_back({{"kind", to_string(obstacle.kind)}, {"text", obstacle.text}});
        if (!stop.waits.empty()) own["waits"] = stop.waits;
        if (!stop.support.empty()) own["support"] = stop.support;
        if (!stop.warnings.empty()) own["warnings"] = stop.warnings;
        json["stops"].push_back(std::move(own));
    }
    return json;
}

} // namespace

Json plan_as_json(const ClusterPlan& plan, const ReportHeader& header) {
    Json json{{"schema", "opcat.plan.v1"},
              {"from", header.from},
              {"to", header.to},
              {"at", date_text(header.at)},
              {"verdict", to_string(plan.verdict)}};
    json["operators"] = Json::array();
    for (const auto& one : plan.operators) json["operators"].push_back(operator_as_json(*one, plan.stops));
    json["stops"] = Json::array();
    for (size_t at = 0; at < plan.order.size(); ++at) {
        Json stop{{"openshift", plan.order[at].version.to_string()}, {"passing", plan.stops[at].passing}};
        stop["catalogs"] = Json::array();
        for (const PlatformCatalog* catalog : plan.stops[at].catalogs)
            stop["catalogs"].push_back(catalog->reference);
        stop["after"] = steps_as_json(plan, at, plan.order[at].after);
        stop["before"] = steps_as_json(plan, at, plan.order[at].before);
        json["stops"].push_back(std::move(stop));
    }
    return json;
}

} // namespace opcat::planning
