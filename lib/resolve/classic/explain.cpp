#include "opcat/resolve/classic/explain.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/resolve/classic/reasoning.hpp"

#include <fmt/core.h>

#include <cassert>
#include <functional>
#include <queue>
#include <set>

namespace opcat::classic {
namespace {

std::string describe(const Entry& entry) {
    if (entry.is_existing()) return fmt::format("{} (installed)", entry.name);
    return fmt::format("{} (package {}, channel {}, catalog {})", entry.name, entry.package, entry.channel,
                       entry.snapshot->key.to_string());
}

// The names of variables: of many, some.
std::string names_of(const Problem& problem, const std::vector<VariableId>& ids, std::string_view last) {
    constexpr size_t most = 6;
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const VariableId id : ids) {
        const Entry& entry = *problem.variables[id].entry;
        std::string name = entry.is_existing() ? fmt::format("{} (installed)", entry.name)
                                               : fmt::format("{} ({})", entry.name, entry.channel);
        if (seen.insert(name).second) names.push_back(std::move(name));
    }
    if (names.size() > most) {
        const size_t more = names.size() - most + 1;
        names.resize(most - 1);
        names.push_back(fmt::format("{} more", more));
        last = "and";
    }
    return listed(names, SIZE_MAX, {}, last);
}

class Narrator {
public:
    explicit Narrator(const Resolution& resolution)
        : problem_(resolution.reasoning->problem), finder_(resolution.reasoning->finder) {}

    Sentence sentence_for(const ConstraintRef& ref) const {
        const Variable& variable = problem_.variables[ref.variable];
        const Constraint& constraint = variable.constraints[ref.index];
        if (variable.subscription) return of_subscription(*variable.subscription, constraint);
        if (variable.entry) return of_bundle(variable, constraint);
        // That it is mandatory contradicts nothing.
        assert(constraint.kind == Constraint::Kind::at_most_one);
        const bool api = variable.kind == Variable::Kind::single_provider;
        return {fmt::format("only one of {} can be installed: all of them {} {}",
                            names_of(problem_, constraint.ids, "and"), api ? "provide" : "are of package",
                            variable.id),
                {}};
    }

private:
    Sentence of_subscription(const Subscription& s, const Constraint& constraint) const {
        const std::string what = fmt::format("Subscription {}", s.name);
        if (constraint.kind == Constraint::Kind::prohibited) return {constraint.text, s.where()};
        if (constraint.kind == Constraint::Kind::mandatory) {
            std::string from = s.channel.empty() ? "any channel" : "channel " + s.channel;
            if (!s.source.empty()) from += fmt::format(" of catalog {}/{}", s.source_namespace, s.source);
            return {fmt::format("{} asks for package {} from {}", what, s.package, from), s.where()};
        }
        if (constraint.ids.empty()) return {fmt::format("nothing there matches {}", what), s.where()};
        return {fmt::format("{} can be met by {}", what, names_of(problem_, constraint.ids, "or")),
                s.where()};
    }

    Sentence of_bundle(const Variable& variable, const Constraint& constraint) const {
        const Entry& entry = *variable.entry;
        switch (constraint.kind) {
        case Constraint::Kind::mandatory:
            return {fmt::format("{} is installed and no Subscription owns it: it stays as it is", entry.name),
                    entry.where};
        case Constraint::Kind::prohibited:
            return {fmt::format("{} has the property olm.deprecated: it is never chosen", describe(entry)),
                    entry.where};
        case Constraint::Kind::conflict:
            return {fmt::format("{} would replace {}: they cannot both be installed", describe(entry),
                                problem_.variables[constraint.ids[0]].entry->name),
                    entry.where};
        default:
            break;
        }
        // "bundle x requires an operator …"
        const size_t what = constraint.text.find(" requires ");
        std::string text = describe(entry) + constraint.text.substr(what);
        if (!constraint.failure_message.empty()) text += fmt::format(" (\"{}\")", constraint.failure_message);
        text += constraint.ids.empty() ? "; " + nothing_fits(constraint)
                                       : "; there is " + names_of(problem_, constraint.ids, "or");
        return {std::move(text), constraint.property ? constraint.property->where : entry.where};
    }

    // What comes near a requirement that nothing meets: other versions of the package, or of the API.
    std::string nothing_fits(const Constraint& constraint) const {
        std::set<std::string, std::greater<>> near;
        const Value* const value = constraint.property ? &constraint.property->value : nullptr;
        const auto text = [&](std::string_view key) {
            const Value* const found = value ? value->find(key) : nullptr;
            return found ? found->string_or_empty() : std::string_view();
        };
        const auto add = [&](const Snapshot& snapshot) {
            for (const Entry& entry : snapshot.entries) {
                if (!text("packageName").empty() && entry.package == text("packageName"))
                    near.insert(fmt::format("{} (version {})", entry.name, entry.version_text()));
                for (const Gvk& gvk : entry.facts->gvks)
                    if (!gvk.kind.empty() && gvk.kind == text("kind") && gvk.group == text("group"))
                        near.insert(gvk.version == text("version")
                                        ? fmt::format("{}, which another one skips", entry.name)
                                        : fmt::format("{} with version {} of it", entry.name, gvk.version));
            }
        };
        add(finder_.existing());
        for (const auto& catalog : finder_.catalogs()) add(*catalog);
        if (near.empty()) return "no catalog has one, and none is installed";
        return "none fits: there is only " + listed(near, 3);
    }

    const Problem& problem_;
    const Finder& finder_;
};

// Breadth first from what must be; what concerns several comes last.
std::vector<ConstraintRef> from_the_top(const Problem& problem, const std::vector<ConstraintRef>& core) {
    std::set<ConstraintRef> left(core.begin(), core.end());
    std::vector<ConstraintRef> order;
    std::queue<VariableId> next;
    std::set<VariableId> reached;
    const auto reach = [&](VariableId id) {
        if (reached.insert(id).second) next.push(id);
    };
    const auto kind_of = [&](const ConstraintRef& ref) {
        return problem.variables[ref.variable].constraints[ref.index].kind;
    };
    const auto follow = [&] {
        for (; !next.empty(); next.pop()) {
            for (auto ref = left.lower_bound({next.front(), 0});
                 ref != left.end() && ref->variable == next.front();) {
                order.push_back(*ref);
                if (kind_of(*ref) == Constraint::Kind::dependency)
                    for (const VariableId id : problem.variables[ref->variable].constraints[ref->index].ids)
                        reach(id);
                ref = left.erase(ref);
            }
        }
    };
    for (const ConstraintRef& ref : core)
        if (problem.variables[ref.variable].subscription) reach(ref.variable);
    follow();
    for (const ConstraintRef& ref : core)
        if (kind_of(ref) == Constraint::Kind::mandatory) reach(ref.variable);
    follow();
    order.insert(order.end(), left.begin(), left.end());
    return order;
}

// What several candidates have in common is reported once: requirements of the same, with the same
// candidates.
bool say_the_same(const Problem& problem, const ConstraintRef& a, const ConstraintRef& b) {
    const Variable& x = problem.variables[a.variable];
    const Variable& y = problem.variables[b.variable];
    if (!x.entry || !y.entry || x.entry->snapshot != y.entry->snapshot ||
        x.entry->package != y.entry->package)
        return false;
    const Constraint& c = x.constraints[a.index];
    const Constraint& d = y.constraints[b.index];
    if (c.kind != Constraint::Kind::dependency || d.kind != c.kind || c.ids != d.ids) return false;
    const auto what = [](const Constraint& constraint) {
        return std::string_view(constraint.text).substr(constraint.text.find(" requires "));
    };
    return what(c) == what(d) && c.failure_message == d.failure_message;
}

std::vector<Sentence> sentences_for(const Resolution& resolution, const std::vector<ConstraintRef>& core) {
    const Problem& problem = resolution.reasoning->problem;
    const Narrator narrator(resolution);
    std::vector<ConstraintRef> left = from_the_top(problem, core);
    std::vector<Sentence> sentences;
    while (!left.empty()) {
        const ConstraintRef first = left.front();
        std::vector<VariableId> others;
        std::erase_if(left, [&](const ConstraintRef& ref) {
            if (ref == first) return true;
            if (!say_the_same(problem, first, ref)) return false;
            others.push_back(ref.variable);
            return true;
        });
        sentences.push_back(narrator.sentence_for(first));
        if (!others.empty())
            sentences.back().text += fmt::format("; the same goes for {}", names_of(problem, others, "and"));
    }
    return sentences;
}

Sentence tell_mistake(const Mistake& mistake) {
    if (mistake.subscription)
        return {fmt::format("the candidates for Subscription {} have no order: {}",
                            mistake.subscription->name, mistake.text),
                mistake.subscription->where()};
    if (mistake.entry && mistake.property)
        return {fmt::format("{} has a requirement ({}) that OLM cannot use: {}", describe(*mistake.entry),
                            mistake.property->type, mistake.text),
                mistake.property->where};
    if (mistake.entry)
        return {
            fmt::format(
                "{} is chosen, and then not found again by its identifier {}: OLM takes that apart at its "
                "slashes, and looks for exactly one bundle",
                describe(*mistake.entry), mistake.entry->identifier()),
            mistake.entry->where};
    return {mistake.text, {}};
}

} // namespace

std::vector<Sentence> explain_failure(const Resolution& resolution) {
    std::vector<Sentence> sentences;
    for (const Mistake& mistake : resolution.reasoning->mistakes) sentences.push_back(tell_mistake(mistake));
    if (!sentences.empty()) return sentences;
    return sentences_for(resolution, resolution.reasoning->core);
}

std::vector<Explanation> explain_choices(const Resolution& resolution) {
    constexpr size_t most_told = 3;
    const Problem& problem = resolution.reasoning->problem;
    std::vector<Explanation> explanations;
    for (const Decision& decision : resolution.reasoning->solution.decisions) {
        if (decision.rejected.empty()) continue;
        const ConstraintRef& ref = decision.constraint;
        Explanation explanation;
        explanation.wanted =
            problem.text_of(ref.variable, problem.variables[ref.variable].constraints[ref.index]);
        if (problem.variables[ref.variable].subscription)
            explanation.wanted =
                fmt::format("Subscription {}", problem.variables[ref.variable].subscription->name);
        const Entry& chosen_entry = *problem.variables[decision.chosen].entry;
        explanation.chosen = describe(chosen_entry);
        if (problem.variables[ref.variable].subscription && chosen_entry.is_existing())
            explanation.stays = chosen_entry.name;
        const auto& chosen = resolution.reasoning->solution.chosen;
        for (const VariableId rejected : decision.rejected) {
            if (explanation.rejected.size() == most_told) {
                explanation.more = decision.rejected.size() - most_told;
                break;
            }
            std::vector<VariableId> given(chosen.begin(),
                                          chosen.begin() + static_cast<long>(decision.before));
            given.push_back(rejected);
            explanation.rejected.push_back({describe(*problem.variables[rejected].entry),
                                            sentences_for(resolution, minimal_core(problem, given))});
        }
        explanations.push_back(std::move(explanation));
    }
    return explanations;
}

namespace {

// Changes that may help, tried one by one on a copy of the cluster: first those that keep what the user has.
class Trial {
public:
    Trial(const Request& request, const Resolution& resolution)
        : request_(request), resolution_(resolution) {}

    std::vector<std::string> run() {
        const Culprits culprits = culprits_of(resolution_);
        for (const Subscription* s : culprits.subscriptions) try_sources(*s);
        for (const Subscription* s : culprits.subscriptions) try_packages(*s);
        for (const Subscription* s : culprits.subscriptions) try_channels(*s);
        for (const Subscription* s : culprits.subscriptions) try_versions(*s);
        const std::vector<Change> removals = removals_of(culprits);
        for (const Change& change : removals) attempt(change);
        if (found_.empty()) try_pairs(removals);
        return std::move(found_);
    }

private:
    struct Change {
        std::string text;
        std::function<void(ClusterState&)> apply;
    };

    struct Culprits {
        std::vector<const Subscription*> subscriptions;
        std::vector<const ClusterServiceVersion*> csvs;
    };

    // What the user has that is part of the reason.
    static Culprits culprits_of(const Resolution& resolution) {
        Culprits culprits;
        std::set<const void*> seen;
        for (const ConstraintRef& ref : resolution.reasoning->core) {
            const Variable& variable = resolution.reasoning->problem.variables[ref.variable];
            if (variable.subscription && seen.insert(variable.subscription).second)
                culprits.subscriptions.push_back(variable.subscription);
            const bool must_stay =
                variable.entry && variable.constraints[ref.index].kind == Constraint::Kind::mandatory;
            if (must_stay && seen.insert(variable.entry->csv).second)
                culprits.csvs.push_back(variable.entry->csv);
        }
        return culprits;
    }

    Resolution resolution_with(ClusterState& changed) {
        ++tries_;
        Request request = request_;
        request.cluster = &changed;
        return resolve(request);
    }

    bool has_enough() const {
        constexpr size_t most_tries = 40;
        constexpr size_t most_found = 6;
        return tries_ >= most_tries || found_.size() >= most_found;
    }

    void attempt(const Change& change) {
        if (has_enough()) return;
        ClusterState changed = *request_.cluster;
        change.apply(changed);
        if (resolution_with(changed).error.empty()) found_.push_back(change.text);
    }

    // Where one removal is not enough there is another reason after the first: one of that is removed, too.
    void try_pairs(const std::vector<Change>& removals) {
        for (const Change& first : removals) {
            if (has_enough()) return;
            ClusterState changed = *request_.cluster;
            first.apply(changed);
            const Resolution next = resolution_with(changed);
            for (const Change& second : removals_of(culprits_of(next)))
                attempt({fmt::format("{}, and {}", first.text, second.text), [&](ClusterState& cluster) {
                             first.apply(cluster);
                             second.apply(cluster);
                         }});
        }
    }

    template <typename Edit>
    void attempt_on(const Subscription& s, const std::string& text, Edit edit) {
        attempt({text, [&](ClusterState& cluster) {
                     for (Subscription& other : cluster.subscriptions)
                         if (other.ns == s.ns && other.name == s.name) edit(other);
                 }});
    }

    const Snapshot* catalog_of(const Subscription& s) const {
        return resolution_.reasoning->finder.find({s.source_namespace, s.source});
    }

    // Another catalog that has the package.
    void try_sources(const Subscription& s) {
        const Snapshot* own = catalog_of(s);
        if (own && own->by_package.contains(s.package)) return;
        for (const auto& snapshot : resolution_.reasoning->finder.catalogs()) {
            if (!snapshot->by_package.contains(s.package)) continue;
            attempt_on(s,
                       fmt::format("let Subscription {} take package {} from catalog {}", s.name, s.package,
                                   snapshot->key.to_string()),
                       [&](Subscription& other) {
                           other.source = snapshot->key.name;
                           other.source_namespace = snapshot->key.ns;
                       });
        }
    }

    void try_channels(const Subscription& s) {
        const Snapshot* catalog = catalog_of(s);
        if (!catalog) return;
        const auto positions = catalog->by_package.find(s.package);
        if (positions == catalog->by_package.end()) return;
        std::set<std::pair<bool, std::string_view>> channels;
        for (const uint32_t position : positions->second) {
            const Entry& entry = catalog->entries[position];
            if (entry.channel != s.channel) channels.emplace(!entry.default_channel, entry.channel);
        }
        for (const auto& [not_default, channel] : channels)
            attempt_on(s, fmt::format("switch Subscription {} to channel {}", s.name, channel),
                       [c = channel](Subscription& other) { other.channel = c; });
    }

    // A package of the catalog whose name is nearly the same.
    void try_packages(const Subscription& s) {
        const Snapshot* catalog = catalog_of(s);
        if (!catalog || catalog->by_package.contains(s.package)) return;
        std::vector<std::string_view> names;
        for (const auto& [name, positions] : catalog->by_package) names.push_back(name);
        for (const std::string_view name : suggested_names(s.package, names))
            attempt_on(s, fmt::format("let Subscription {} ask for package {}", s.name, name),
                       [&](Subscription& other) { other.package = name; });
    }

    // A first version of its own choosing: entries that others skip are installed only that way.
    void try_versions(const Subscription& s) {
        const Snapshot* catalog = catalog_of(s);
        if (!catalog || !s.installed_csv.empty()) return;
        if (!s.starting_csv.empty())
            attempt_on(s, fmt::format("remove startingCSV {} from Subscription {}", s.starting_csv, s.name),
                       [](Subscription& other) { other.starting_csv.clear(); });
        const auto positions = catalog->by_package.find(s.package);
        if (positions == catalog->by_package.end()) return;
        std::set<std::string_view> tried{s.starting_csv};
        // The later ones of a channel are as a rule the newer ones.
        for (auto position = positions->second.rbegin(); position != positions->second.rend(); ++position) {
            const Entry& entry = catalog->entries[*position];
            if (!s.channel.empty() && entry.channel != s.channel) continue;
            if (tried.size() > 8 || !tried.insert(entry.name).second) continue;
            attempt_on(s, fmt::format("let Subscription {} start with startingCSV {}", s.name, entry.name),
                       [&](Subscription& other) { other.starting_csv = entry.name; });
        }
    }

    static std::vector<Change> removals_of(const Culprits& culprits) {
        std::vector<Change> changes;
        for (const ClusterServiceVersion* csv : culprits.csvs)
            changes.push_back({fmt::format("remove the installed operator {} (ClusterServiceVersion {}/{})",
                                           csv->name, csv->ns, csv->name),
                               [ns = csv->ns, name = csv->name](ClusterState& cluster) {
                                   std::erase_if(cluster.csvs, [&](const ClusterServiceVersion& other) {
                                       return other.ns == ns && other.name == name;
                                   });
                               }});
        for (const Subscription* s : culprits.subscriptions)
            changes.push_back(
                {fmt::format("remove Subscription {}{}", s->name,
                             s->installed_csv.empty()
                                 ? std::string()
                                 : fmt::format(" (its operator {} then stays as it is)", s->installed_csv)),
                 [ns = s->ns, name = s->name](ClusterState& cluster) {
                     std::erase_if(cluster.subscriptions, [&](const Subscription& other) {
                         return other.ns == ns && other.name == name;
                     });
                 }});
        return changes;
    }

    const Request& request_;
    const Resolution& resolution_;
    std::vector<std::string> found_;
    size_t tries_ = 0;
};

} // namespace

std::vector<std::string> suggest_changes(const Request& request, const Resolution& resolution) {
    if (resolution.reasoning->core.empty()) return {};
    return Trial(request, resolution).run();
}

} // namespace opcat::classic
