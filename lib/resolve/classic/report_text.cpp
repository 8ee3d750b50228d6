// Answers of OLM classic for people.
#include "opcat/base/text.hpp"
#include "opcat/resolve/classic/report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::classic {
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

void add_operators(const Round& round, std::string& text) {
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

void add_failure(const Round& round, std::string& text) {
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

std::string to_text(const Round& round) {
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

} // namespace opcat::classic
