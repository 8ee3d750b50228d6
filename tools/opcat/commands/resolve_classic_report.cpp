#include "commands/resolve.hpp"
#include "opcat/base/text.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/preflight.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

using namespace classic;
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

nlohmann::ordered_json to_json(const Diagnostics& findings) {
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

nlohmann::ordered_json to_json(const ClassicRound& round) {
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

namespace {

std::string origin(const Entry& entry) {
    return fmt::format("package {}, channel {}, catalog {}", entry.package, entry.channel,
                       entry.snapshot->key.to_string());
}

bool is_in(const ClusterState& cluster, const std::string& ns, std::string_view csv) {
    return std::any_of(cluster.csvs.begin(), cluster.csvs.end(), [&](const auto& other) {
        return !other.copied && other.ns == ns && other.name == csv;
    });
}

void add_operators(const ClassicRound& round, std::string& text) {
    const Snapshot& existing = *round.prediction.resolution.existing;
    std::vector<std::string_view> gone;
    size_t width = 0;
    for (const ResolvedOperator& resolved : round.prediction.resolution.operators)
        width = std::max(width, resolved.entry->name.size());
    for (const Entry& entry : existing.entries) width = std::max(width, entry.name.size());
    for (const ResolvedOperator& resolved : round.prediction.resolution.operators) {
        const Entry& entry = *resolved.entry;
        const bool upgrade = is_in(*round.cluster, existing.key.ns, resolved.replaces);
        if (upgrade) gone.push_back(resolved.replaces);
        text += fmt::format("  {:8} {:{}}  {}{}\n", upgrade ? "upgrade" : "install", entry.name, width,
                            origin(entry),
                            upgrade ? fmt::format(", replaces {}", resolved.replaces) : std::string());
    }
    for (const Entry& entry : existing.entries) {
        const auto is_same = [&](const ResolvedOperator& resolved) {
            return resolved.entry->name == entry.name;
        };
        const auto& operators = round.prediction.resolution.operators;
        if (std::find(gone.begin(), gone.end(), entry.name) != gone.end() ||
            std::any_of(operators.begin(), operators.end(), is_same))
            continue;
        text += fmt::format("  {:8} {:{}}  {}\n", "keep", entry.name, width,
                            entry.subscription ? fmt::format("Subscription {}", entry.subscription->name)
                                               : std::string("no Subscription"));
    }
}

void add_plan(const Plan& plan, std::string& text) {
    if (!plan.install_plan) return;
    text += fmt::format("\nInstallPlan, approval {}:\n", plan.manual ? "Manual" : "Automatic");
    size_t step = 0;
    for (const ResolvedOperator* resolved : plan.bundles) {
        const Entry& entry = *resolved->entry;
        text += fmt::format("  {}. unpack {} and apply {}\n", ++step,
                            entry.bundle->image.empty() ? std::string_view("what the catalog carries")
                                                        : entry.bundle->image.text,
                            entry.name);
        for (const std::string& manifest : other_manifests_of(*entry.bundle))
            text += fmt::format("     with {}\n", manifest);
    }
    for (const PlannedSubscription& planned : plan.new_subscriptions)
        text +=
            fmt::format("  {}. create Subscription {} ({})\n", ++step, planned.name, origin(*planned.entry));
    for (const auto& [subscription, name] : plan.updated)
        text += fmt::format("  then Subscription {} is at {}\n", subscription->name, name);
}

// Its place follows on a line of its own. The first line counts as indented if it is an item.
void add_sentence(const Sentence& sentence, std::string_view indent, std::string& text) {
    if (text.back() == '\n') text += indent;
    text += sentence.text + "\n";
    if (sentence.where) text += fmt::format("{}  {}\n", indent, place_of(sentence.where));
}

void add_choices(const std::vector<Explanation>& choices, std::string& text) {
    for (const Explanation& choice : choices) {
        text += fmt::format("\n{}\n  got {}, because every more preferred candidate is impossible:\n",
                            choice.wanted, choice.chosen);
        for (const Rejection& rejection : choice.rejected) {
            text += fmt::format("  - {}\n", rejection.what);
            for (const Sentence& sentence : rejection.why) add_sentence(sentence, "      ", text);
        }
        if (choice.more > 0) text += fmt::format("  - and {} more\n", choice.more);
    }
}

void add_cluster_role(const GroupClusterRole& role, std::string_view indent, std::string& text) {
    if (role.verbs.empty())
        text += fmt::format("{}ClusterRole {}: aggregates {}\n", indent, role.name, role.aggregated_by);
    else
        text += fmt::format("{}ClusterRole {}: {} on {}\n", indent, role.name, role.verbs, role.resource);
}

void add_group(const GroupObjects& group, std::string& text) {
    text += fmt::format("\nBesides, OLM would make for OperatorGroup {}:\n", group.group);
    if (!group.provided_apis.empty())
        text += fmt::format("  annotation olm.providedAPIs: {}\n", group.provided_apis);
    for (const GroupClusterRole& role : group.cluster_roles) add_cluster_role(role, "  ", text);
    for (const MemberObjects& member : group.members) {
        text += fmt::format("and for {}:\n", member.csv);
        for (const auto& [key, value] : member.annotations)
            text +=
                fmt::format("  annotation {}: {}\n", key, value.empty() ? "\"\" (all namespaces)" : value);
        for (const GroupClusterRole& role : member.cluster_roles) add_cluster_role(role, "  ", text);
        for (const std::string& ns : member.copies)
            text += fmt::format("  a copy in {}\n", ns.empty() ? "every other namespace" : "namespace " + ns);
    }
}

void add_failure(const ClassicRound& round, std::string& text) {
    text += "OLM would resolve nothing in this namespace.\n";
    if (!round.failure.empty()) {
        text += round.prediction.resolution.conflicts.empty() ? "\nThis is why:\n"
                                                              : "\nThese cannot hold together:\n";
        for (const Sentence& sentence : round.failure) {
            text += "  - ";
            add_sentence(sentence, "    ", text);
        }
    }
    if (!round.suggestions.empty()) {
        text += "\nAny one of these would make it work:\n";
        for (const std::string& suggestion : round.suggestions) text += fmt::format("  - {}\n", suggestion);
    }
    text += fmt::format("\nOLM itself would say:\n  {}\n", round.prediction.resolution.error);
}

} // namespace

std::string to_text(const ClassicRound& round) {
    std::string text;
    if (!round.prediction.resolution.error.empty()) {
        add_failure(round, text);
        return escape_controls_in_lines(text);
    }
    if (round.prediction.resolution.operators.empty())
        text += "OLM would change nothing\n";
    else
        text += fmt::format("OLM would install or upgrade {}:\n",
                            counted(round.prediction.resolution.operators.size(), "operator"));
    add_operators(round, text);
    add_plan(round.prediction.plan, text);
    add_choices(round.choices, text);
    if (round.group) add_group(*round.group, text);
    return escape_controls_in_lines(text);
}

} // namespace opcat
