// The resolver by definition: everything is tried. For problems of a few variables.
#pragma once

#include "opcat/resolve/classic/solve.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace opcat::classic {

class BruteForce {
public:
    explicit BruteForce(const Problem& problem) : problem_(problem) {
        for (VariableId id = 0; id < problem.variables.size(); ++id)
            for (uint32_t i = 0; i < problem.variables[id].constraints.size(); ++i) all_.push_back({id, i});
    }

    const std::vector<ConstraintRef>& constraints() const { return all_; }

    // Whether these constraints hold with the choice `chosen`.
    bool satisfiable(std::span<const ConstraintRef> constraints, unsigned chosen = 0) const {
        for (unsigned set = 0; set < (1U << problem_.variables.size()); ++set)
            if ((set & chosen) == chosen &&
                std::all_of(constraints.begin(), constraints.end(),
                            [&](const ConstraintRef& ref) { return holds(ref, set); }))
                return true;
        return false;
    }

    // The choice, in its order; nothing if it is impossible. A search with backtracking, as
    // OLM's: the first leaf that a set of all constraints agrees with.
    std::optional<std::vector<VariableId>> preferred() const {
        State state;
        for (VariableId id = 0; id < problem_.variables.size(); ++id)
            if (problem_.is_mandatory(id)) state.queue.push_back({id});
        return search(std::move(state));
    }

private:
    struct State {
        std::deque<std::vector<VariableId>> queue; // of lists of candidates
        std::vector<VariableId> chosen;
        unsigned set = 0;
    };

    static bool in(unsigned set, VariableId id) { return (set >> id & 1U) != 0; }

    bool holds(const ConstraintRef& ref, unsigned set) const {
        const Constraint& c = problem_.variables[ref.variable].constraints[ref.index];
        const auto chosen =
            std::count_if(c.ids.begin(), c.ids.end(), [&](VariableId id) { return in(set, id); });
        switch (c.kind) {
        case Constraint::Kind::mandatory:
            return in(set, ref.variable);
        case Constraint::Kind::prohibited:
            return !in(set, ref.variable);
        case Constraint::Kind::dependency:
            return !in(set, ref.variable) || chosen > 0;
        case Constraint::Kind::conflict:
            return !in(set, ref.variable) || chosen == 0;
        case Constraint::Kind::at_most_one:
            return chosen <= 1; // an id that is listed twice counts twice
        }
        return false;
    }

    // Conflicts that further choices cannot remove.
    bool is_broken(unsigned set) const {
        return std::any_of(all_.begin(), all_.end(), [&](const ConstraintRef& ref) {
            const auto kind = problem_.variables[ref.variable].constraints[ref.index].kind;
            return kind != Constraint::Kind::mandatory && kind != Constraint::Kind::dependency &&
                   !holds(ref, set);
        });
    }

    std::optional<std::vector<VariableId>> search(State state) const {
        while (!state.queue.empty()) {
            const std::vector<VariableId> candidates = state.queue.front();
            state.queue.pop_front();
            if (std::any_of(candidates.begin(), candidates.end(),
                            [&](VariableId id) { return in(state.set, id); }))
                continue;
            for (const VariableId id : candidates) {
                State next = state;
                next.chosen.push_back(id);
                next.set |= 1U << id;
                if (is_broken(next.set)) continue;
                for (const Constraint& c : problem_.variables[id].constraints)
                    if (c.kind == Constraint::Kind::dependency && !c.ids.empty()) next.queue.push_back(c.ids);
                if (auto found = search(std::move(next))) return found;
            }
            return std::nullopt;
        }
        if (!satisfiable(all_, state.set)) return std::nullopt;
        return state.chosen;
    }

    const Problem& problem_;
    std::vector<ConstraintRef> all_;
};

} // namespace opcat::classic
