#include "opcat/resolve/classic/problem.hpp"

#include "opcat/base/work.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace opcat::classic {
namespace {

// "a, b and c"
std::string enumerated(const std::vector<std::string>& items, std::string_view last) {
    std::string text;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 == items.size() ? fmt::format(" {} ", last) : std::string(", ");
        text += items[i];
    }
    return text;
}

} // namespace

bool Variable::has_readable_id() const {
    return std::count(id.begin(), id.end(), '/') == 3;
}

bool Problem::is_mandatory(VariableId id) const {
    const auto& constraints = variables[id].constraints;
    return std::any_of(constraints.begin(), constraints.end(),
                       [](const Constraint& c) { return c.kind == Constraint::Kind::mandatory; });
}

std::string Problem::text_of(VariableId id, const Constraint& constraint) const {
    const Variable& variable = variables[id];
    std::vector<std::string> names;
    for (const VariableId other : constraint.ids) names.push_back(variables[other].id);
    switch (constraint.kind) {
    case Constraint::Kind::conflict:
        return fmt::format("{} conflicts with {}", variable.id, names[0]);
    case Constraint::Kind::at_most_one:
        return enumerated(names, "and") + constraint.text;
    case Constraint::Kind::dependency:
        if (!variable.subscription || names.empty()) return constraint.text;
        return fmt::format("subscription {} requires {}{}", variable.subscription->name,
                           names.size() == 1 ? "" : "at least one of ", enumerated(names, "or"));
    case Constraint::Kind::mandatory:
    case Constraint::Kind::prohibited:
        break;
    }
    return constraint.text;
}

std::string aggregate(const std::vector<std::string>& messages) {
    std::set<std::string_view> seen;
    std::string text;
    for (const std::string& message : messages) {
        if (!seen.insert(message).second) continue;
        if (seen.size() > 1) text += ", ";
        text += message;
    }
    return seen.size() > 1 ? '[' + text + ']' : text;
}

namespace {

class ProblemBuilder {
public:
    ProblemBuilder(Finder& finder, std::span<const Subscription* const> subscriptions)
        : finder_(finder), subscriptions_(subscriptions) {}

    BuiltProblem run() {
        Entries installed;
        for (const Entry& entry : finder_.existing().entries) installed.push_back(&entry);
        walk(installed, built_.mistakes);
        if (!built_.mistakes.empty()) return std::move(built_);
        report_failed_catalogs();
        std::vector<Mistake> mistakes;
        for (const Subscription* subscription : subscriptions_) add_subscription(*subscription, mistakes);
        if (built_.mistakes.empty()) built_.mistakes = std::move(mistakes);
        if (built_.mistakes.empty()) add_invariants();
        return std::move(built_);
    }

private:
    Problem& problem() { return built_.problem; }

    void report_failed_catalogs() {
        const auto report = [this](const Snapshot& snapshot) {
            if (!snapshot.error.empty())
                built_.mistakes.push_back({fmt::format("error using catalogsource {}: {}",
                                                       snapshot.key.to_string(), snapshot.error)});
        };
        report(finder_.existing());
        for (const auto& snapshot : finder_.catalogs()) report(*snapshot);
    }

    VariableId add_variable(Variable variable) {
        const auto id = static_cast<VariableId>(problem().variables.size());
        problem().variables.push_back(std::move(variable));
        return id;
    }

    // The variable of an entry, without its requirements.
    VariableId variable_of(const Entry& entry) {
        if (const auto found = by_entry_.find(&entry); found != by_entry_.end()) return found->second;
        Variable variable;
        variable.id = entry.identifier();
        variable.entry = &entry;
        if (entry.is_existing() && !entry.subscription)
            variable.constraints.push_back(
                {Constraint::Kind::mandatory,
                 {},
                 nullptr,
                 fmt::format("clusterserviceversion {} exists and is not referenced by a subscription",
                             entry.name),
                 {}});
        if (entry.facts->deprecated)
            variable.constraints.push_back({Constraint::Kind::prohibited,
                                            {},
                                            nullptr,
                                            fmt::format("bundle {} is deprecated", variable.id),
                                            {}});
        const VariableId id = add_variable(std::move(variable));
        by_entry_[&entry] = id;
        return id;
    }

    // Makes the variables of the entries and of all that they may need.
    void walk(Entries stack, std::vector<Mistake>& mistakes) {
        while (!stack.empty()) {
            const Entry& entry = *stack.back();
            stack.pop_back();
            if (!walked_.insert(&entry).second) continue;
            const VariableId id = variable_of(entry);
            auto requirements = requirements_of(*entry.facts);
            if (!requirements) {
                mistakes.push_back({requirements.error().message, &entry, requirements.error().property});
                continue;
            }
            for (const Requirement& requirement : *requirements)
                require(id, entry, requirement, stack, mistakes);
        }
    }

    void require(VariableId id, const Entry& entry, const Requirement& requirement, Entries& stack,
                 std::vector<Mistake>& mistakes) {
        const SortedEntries candidates = finder_.candidates(requirement.predicate, *entry.snapshot);
        // Memory, too: a clause has a place for each.
        if (candidates)
            work_.take_or_throw(10 * candidates->size(), "choosing among all that may meet the requirements");
        if (!candidates) {
            mistakes.push_back({candidates.error(), &entry, requirement.property});
            return;
        }
        Constraint constraint{
            Constraint::Kind::dependency,
            {},
            requirement.property,
            fmt::format("bundle {} requires an operator {}", entry.name, requirement.predicate.text),
            requirement.failure_message};
        for (const Entry* candidate : *candidates) {
            constraint.ids.push_back(variable_of(*candidate));
            stack.push_back(candidate);
        }
        problem().variables[id].constraints.push_back(std::move(constraint));
    }

    // Returns the installed entry that belongs to the Subscription.
    const Entry* current_of(const Subscription& subscription) const {
        if (subscription.installed_csv.empty()) return nullptr;
        const Entries found = Finder::named(finder_.existing(), subscription.installed_csv, {});
        return found.empty() ? nullptr : found[0];
    }

    void add_subscription(const Subscription& subscription, std::vector<Mistake>& mistakes) {
        const Entry* const current = current_of(subscription);
        std::string invalid;
        const Entries subscribed = narrow(subscription, current, invalid);
        if (!invalid.empty()) {
            Variable variable = subscription_variable(subscription);
            variable.constraints.push_back({Constraint::Kind::prohibited, {}, nullptr, invalid, {}});
            add_variable(std::move(variable));
            return;
        }
        std::vector<Mistake> found;
        const Entries sorted = in_order(subscribed, subscription, found);
        std::unordered_map<std::string_view, Entries> by_name;
        for (const Entry* entry : subscribed) by_name[entry->name].push_back(entry);
        std::vector<VariableId> candidates;
        for (const Entry* entry : sorted) {
            if (!found.empty()) break;
            if (current && !upgrades(*entry, *current)) continue;
            // Empty if an entry of the name came before: OLM then lists all of them again, to no effect.
            const Entries same_name = std::exchange(by_name[entry->name], {});
            walk(same_name, found);
            // OLM leaves the order of several channels to chance, but takes the last one first far more often
            // than any other.
            for (auto other = same_name.rbegin(); other != same_name.rend(); ++other)
                candidates.push_back(variable_of(**other));
        }
        if (!found.empty()) {
            mistakes.insert(mistakes.end(), found.begin(), found.end());
            return;
        }
        finish(subscription, current, std::move(candidates));
    }

    static Variable subscription_variable(const Subscription& subscription) {
        Variable variable;
        variable.kind = Variable::Kind::subscription;
        variable.id = "subscription:" + subscription.name;
        variable.subscription = &subscription;
        variable.constraints.push_back({Constraint::Kind::mandatory,
                                        {},
                                        nullptr,
                                        fmt::format("subscription {} exists", subscription.name),
                                        {}});
        return variable;
    }

    void finish(const Subscription& subscription, const Entry* current, std::vector<VariableId> candidates) {
        if (current) {
            const VariableId installed = variable_of(*current);
            std::set<VariableId> done;
            for (const VariableId candidate : candidates) {
                if (!done.insert(candidate).second) continue;
                Variable& variable = problem().variables[candidate];
                variable.replaces = current;
                variable.constraints.push_back({Constraint::Kind::conflict, {installed}, nullptr, {}, {}});
            }
            candidates.push_back(installed);
        }
        Variable variable = subscription_variable(subscription);
        const std::string text =
            fmt::format("no operators found matching the criteria of subscription {}", subscription.name);
        variable.constraints.push_back(
            {Constraint::Kind::dependency, std::move(candidates), nullptr, text, {}});
        add_variable(std::move(variable));
    }

    // The entries that the Subscription asks for; or why there are none.
    Entries narrow(const Subscription& s, const Entry* current, std::string& invalid) const {
        Entries all;
        for (const Snapshot* snapshot : finder_.subscribed({s.source_namespace, s.source}))
            for (const Entry& entry : snapshot->entries) all.push_back(&entry);
        if (all.empty()) {
            invalid = fmt::format(
                "no operators found from catalog {} in namespace {} referenced by subscription {}", s.source,
                s.source_namespace, s.name);
            return all;
        }
        std::erase_if(all, [&](const Entry* entry) { return !is_of_package(*entry, s.package); });
        if (all.empty()) {
            invalid =
                fmt::format("no operators found in package {} in the catalog referenced by subscription {}",
                            s.package, s.name);
            return all;
        }
        std::erase_if(all,
                      [&](const Entry* entry) { return !s.channel.empty() && entry->channel != s.channel; });
        if (all.empty()) {
            invalid = fmt::format(
                "no operators found in channel {} of package {} in the catalog referenced by subscription {}",
                s.channel, s.package, s.name);
            return all;
        }
        if (current || s.starting_csv.empty()) return all;
        std::erase_if(all, [&](const Entry* entry) { return entry->name != s.starting_csv; });
        if (all.empty())
            invalid =
                fmt::format("no operators found with name {} in channel {} of package {} in the catalog "
                            "referenced by subscription {}",
                            s.starting_csv, s.channel, s.package, s.name);
        return all;
    }

    static bool is_of_package(const Entry& entry, std::string_view package) {
        const auto& packages = entry.facts->packages;
        return entry.package == package ||
               std::any_of(packages.begin(), packages.end(),
                           [&](const PackageProperty& p) { return p.name == package; });
    }

    static bool upgrades(const Entry& entry, const Entry& current) {
        if (entry.skip_range && current.version && entry.skip_range->contains(*current.version)) return true;
        return entry.replaces == current.name ||
               std::any_of(entry.skips.begin(), entry.skips.end(),
                           [&](const Text& skip) { return skip == current.name; });
    }

    // The default channel first, then the others by name, each from its head down.
    static Entries in_order(Entries entries, const Subscription& subscription,
                            std::vector<Mistake>& mistakes) {
        std::stable_sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
            if (a->default_channel == b->default_channel) return a->channel < b->channel;
            return a->default_channel;
        });
        Entries sorted;
        for (size_t begin = 0; begin < entries.size();) {
            size_t end = begin;
            while (end < entries.size() && entries[end]->channel == entries[begin]->channel) ++end;
            const SortedEntries channel = sort_channel(std::span(entries).subspan(begin, end - begin));
            if (!channel) {
                mistakes.push_back({channel.error(), nullptr, nullptr, &subscription});
                return {};
            }
            sorted.insert(sorted.end(), channel->begin(), channel->end());
            begin = end;
        }
        return sorted;
    }

    // One provider of each API, one operator of each package.
    void add_invariants() {
        std::map<Gvk, std::vector<VariableId>> providers;
        std::map<std::string_view, std::vector<VariableId>> packages;
        for (VariableId id = 0; id < problem().variables.size(); ++id) {
            const Variable& variable = problem().variables[id];
            const Entry* const entry = variable.entry;
            if (!entry || !variable.has_readable_id() || namesakes(*entry) != 1) continue;
            for (const Gvk& gvk : entry->facts->gvks) providers[gvk].push_back(id);
            for (const PackageProperty& package : entry->facts->packages)
                packages[package.name].push_back(id);
        }
        for (auto& [gvk, ids] : providers) {
            const std::string api = fmt::format("{} ({}/{})", gvk.kind, gvk.group, gvk.version);
            add_invariant(Variable::Kind::single_provider, api, "there can be only one provider of " + api,
                          " provide " + api, std::move(ids));
        }
        for (auto& [package, ids] : packages)
            add_invariant(Variable::Kind::single_package, std::string(package),
                          fmt::format("there can be only one operator from package {}", package),
                          fmt::format(" originate from package {}", package), std::move(ids));
    }

    // Returns the number of entries of its channel that have the name of an entry.
    size_t namesakes(const Entry& entry) {
        const auto [counts, is_new] = namesakes_.try_emplace(entry.snapshot);
        if (is_new)
            for (const Entry& one : entry.snapshot->entries) ++counts->second[{one.name, one.channel}];
        return counts->second[{entry.name, entry.channel}];
    }

    void add_invariant(Variable::Kind kind, std::string name, std::string mandatory, std::string at_most,
                       std::vector<VariableId> ids) {
        if (ids.size() < 2) return;
        std::stable_sort(ids.begin(), ids.end(), [this](VariableId a, VariableId b) {
            return problem().variables[a].id < problem().variables[b].id;
        });
        Variable variable;
        variable.kind = kind;
        variable.id = std::move(name);
        variable.constraints.push_back({Constraint::Kind::mandatory, {}, nullptr, std::move(mandatory), {}});
        variable.constraints.push_back(
            {Constraint::Kind::at_most_one, std::move(ids), nullptr, std::move(at_most), {}});
        add_variable(std::move(variable));
    }

    Finder& finder_;
    std::span<const Subscription* const> subscriptions_;
    BuiltProblem built_;
    std::unordered_map<const Entry*, VariableId> by_entry_;
    std::set<const Entry*> walked_;
    Work work_;
    std::map<const Snapshot*, std::map<std::pair<std::string_view, std::string_view>, size_t>> namesakes_;
};

} // namespace

BuiltProblem build_problem(Finder& finder, std::span<const Subscription* const> subscriptions) {
    return ProblemBuilder(finder, subscriptions).run();
}

} // namespace opcat::classic
