#include "resolve/classic/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
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
std::string listed(const Problem& problem, const std::vector<VariableId>& ids, std::string_view last) {
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
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? fmt::format(" {} ", last) : std::string(", ");
        text += names[i];
    }
    return text;
}

class Narrator {
public:
    explicit Narrator(const Problem& problem) : problem_(problem) {}

    Sentence tell(const ConstraintRef& ref) const {
        const Variable& variable = problem_.variables[ref.variable];
        const Constraint& constraint = variable.constraints[ref.index];
        if (variable.subscription) return of_subscription(*variable.subscription, constraint);
        if (variable.entry) return of_bundle(variable, constraint);
        const bool api = variable.kind == Variable::Kind::single_provider;
        if (constraint.kind == Constraint::Kind::mandatory)
            return {api ? fmt::format("there can be only one provider of {} in a namespace", variable.id)
                        : fmt::format("there can be only one operator from package {} in a namespace",
                                      variable.id),
                    {}};
        return {fmt::format("of {} only one can be there: all of them {} {}",
                            listed(problem_, constraint.ids, "and"), api ? "provide" : "are of package",
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
        if (constraint.ids.empty())
            return {fmt::format("nothing there matches what {} asks for", what), s.where()};
        return {fmt::format("{} can be met by {}", what, listed(problem_, constraint.ids, "or")), s.where()};
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
            return {fmt::format("{} would replace {}: both cannot be there", describe(entry),
                                problem_.variables[constraint.ids[0]].entry->name),
                    entry.where};
        default:
            break;
        }
        // "bundle x requires an operator …"
        const size_t what = constraint.text.find(" requires ");
        std::string text = describe(entry) + constraint.text.substr(what);
        if (!constraint.failure_message.empty()) text += fmt::format(" (\"{}\")", constraint.failure_message);
        text += constraint.ids.empty() ? "; no catalog has one, and none is installed"
                                       : "; there is " + listed(problem_, constraint.ids, "or");
        return {std::move(text), constraint.property ? constraint.property->where : entry.where};
    }

    const Problem& problem_;
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
                if (kind_of(*ref) == Constraint::Kind::at_most_one) {
                    ++ref;
                    continue;
                }
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

std::vector<Sentence> tell(const Problem& problem, const std::vector<ConstraintRef>& core) {
    const Narrator narrator(problem);
    std::vector<Sentence> sentences;
    for (const ConstraintRef& ref : from_the_top(problem, core)) sentences.push_back(narrator.tell(ref));
    return sentences;
}

} // namespace

std::vector<Sentence> explain_failure(const Resolution& resolution) {
    return tell(resolution.problem, resolution.core);
}

std::vector<Explanation> explain_choices(const Resolution& resolution) {
    constexpr size_t most_told = 3;
    const Problem& problem = resolution.problem;
    std::vector<Explanation> explanations;
    for (const Decision& decision : resolution.solution.decisions) {
        if (decision.rejected.empty()) continue;
        const ConstraintRef& ref = decision.constraint;
        Explanation explanation;
        explanation.wanted =
            problem.text_of(ref.variable, problem.variables[ref.variable].constraints[ref.index]);
        if (problem.variables[ref.variable].subscription)
            explanation.wanted =
                fmt::format("Subscription {}", problem.variables[ref.variable].subscription->name);
        explanation.chosen = describe(*problem.variables[decision.chosen].entry);
        const auto& chosen = resolution.solution.chosen;
        for (const VariableId rejected : decision.rejected) {
            if (explanation.rejected.size() == most_told) {
                explanation.more = decision.rejected.size() - most_told;
                break;
            }
            std::vector<VariableId> given(chosen.begin(),
                                          chosen.begin() + static_cast<long>(decision.before));
            given.push_back(rejected);
            explanation.rejected.push_back(
                {describe(*problem.variables[rejected].entry), tell(problem, minimal_core(problem, given))});
        }
        explanations.push_back(std::move(explanation));
    }
    return explanations;
}

} // namespace opcat::classic
