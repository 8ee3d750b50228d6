#include "opcat/resolve/classic/report.hpp"

#include "opcat/base/json.hpp"

#include <nlohmann/json.hpp>

namespace opcat::classic {
namespace {

using Json = nlohmann::ordered_json;

void add_place(Json& json, const Location& where) {
    if (!where) return;
    const Position position = where.file->position(where.offset);
    json["file"] = where.file->path();
    json["line"] = position.line;
    json["column"] = position.column;
}

Json of_sentences(const std::vector<Sentence>& sentences) {
    Json list = Json::array();
    for (const Sentence& sentence : sentences) {
        Json json{{"text", sentence.text}};
        add_place(json, sentence.where);
        list.push_back(std::move(json));
    }
    return list;
}

Json of_entry(const Entry& entry) {
    return {{"name", entry.name},
            {"version", entry.version_text()},
            {"package", entry.package},
            {"channel", entry.channel},
            {"catalog", entry.snapshot->key.to_string()}};
}

Json of_plan(const Plan& plan) {
    Json steps = Json::array();
    for (const ResolvedOperator* resolved : plan.bundles)
        steps.push_back({{"kind", "ClusterServiceVersion"},
                         {"name", resolved->entry->name},
                         {"image", resolved->entry->bundle->image.text},
                         {"replaces", resolved->replaces},
                         {"manifests", other_manifests_of(*resolved->entry->bundle)}});
    for (const PlannedSubscription& planned : plan.new_subscriptions) {
        Json step{{"kind", "Subscription"}};
        step["name"] = planned.name;
        step["package"] = planned.entry->package;
        step["channel"] = planned.entry->channel;
        step["catalog"] = planned.entry->snapshot->key.to_string();
        step["startingCSV"] = planned.entry->name;
        steps.push_back(std::move(step));
    }
    Json updated = Json::array();
    for (const auto& [subscription, name] : plan.updated)
        updated.push_back({{"name", subscription->name}, {"currentCSV", name}});
    return {{"approval", plan.manual ? "Manual" : "Automatic"},
            {"steps", std::move(steps)},
            {"updatedSubscriptions", std::move(updated)}};
}

Json of_choices(const std::vector<Explanation>& choices) {
    Json list = Json::array();
    for (const Explanation& choice : choices) {
        Json rejected = Json::array();
        for (const Rejection& rejection : choice.rejected)
            rejected.push_back({{"candidate", rejection.what}, {"why", of_sentences(rejection.why)}});
        list.push_back({{"wanted", choice.wanted},
                        {"chosen", choice.chosen},
                        {"rejected", std::move(rejected)},
                        {"moreRejected", choice.more}});
    }
    return list;
}

Json of_pairs(const StringPairs& pairs) {
    Json object = Json::object();
    for (const auto& [key, value] : pairs) object[key] = value;
    return object;
}

Json of_cluster_roles(const std::vector<GroupClusterRole>& roles) {
    Json list = Json::array();
    for (const GroupClusterRole& role : roles) {
        if (role.verbs.empty())
            list.push_back({{"name", role.name}, {"aggregates", role.aggregated_by}});
        else
            list.push_back({{"name", role.name},
                            {"verbs", role.verbs},
                            {"resource", role.resource},
                            {"labels", of_pairs(role.labels)}});
    }
    return list;
}

Json of_group(const GroupObjects& group) {
    Json members = Json::array();
    for (const MemberObjects& member : group.members)
        members.push_back({{"name", member.csv},
                           {"annotations", of_pairs(member.annotations)},
                           {"clusterRoles", of_cluster_roles(member.cluster_roles)},
                           {"copies", member.copies}});
    return {{"name", group.group},
            {"providedAPIs", group.provided_apis},
            {"clusterRoles", of_cluster_roles(group.cluster_roles)},
            {"members", std::move(members)}};
}

} // namespace

Json to_json(const Diagnostics& findings) {
    Json list = Json::array();
    for (const Diagnostic& finding : findings) {
        Json json{
            {"rule", finding.rule}, {"severity", to_string(finding.severity)}, {"message", finding.message}};
        add_place(json, finding.where);
        if (!finding.help.empty()) json["help"] = finding.help;
        list.push_back(std::move(json));
    }
    return list;
}

namespace {

Json of_round(const Round& round) {
    Json operators = Json::array();
    for (const ResolvedOperator& resolved : round.prediction.resolution.operators) {
        Json json = of_entry(*resolved.entry);
        json["replaces"] = resolved.replaces;
        operators.push_back(std::move(json));
    }
    Json installed = Json::array();
    for (const Entry& entry : round.prediction.resolution.existing->entries) installed.push_back(entry.name);
    Json json{{"installed", std::move(installed)}, {"operators", std::move(operators)}};
    if (round.prediction.plan.install_plan) json["installPlan"] = of_plan(round.prediction.plan);
    if (!round.choices.empty()) json["choices"] = of_choices(round.choices);
    if (round.group) json["operatorGroup"] = of_group(*round.group);
    if (!round.prediction.resolution.error.empty()) {
        json["error"] = round.prediction.resolution.error;
        json["conflicts"] = round.prediction.resolution.conflicts;
        json["because"] = of_sentences(round.failure);
        json["wouldWork"] = round.suggestions;
    }
    json["findings"] = to_json(round.prediction.findings);
    return json;
}

} // namespace

std::string rounds_as_json(const std::string& ns, const std::deque<Round>& rounds) {
    Json list = Json::array();
    for (const Round& round : rounds) list.push_back(of_round(round));
    return as_document(
        Json{{"schema", "opcat.resolve-classic.v1"}, {"namespace", ns}, {"rounds", std::move(list)}});
}

} // namespace opcat::classic
