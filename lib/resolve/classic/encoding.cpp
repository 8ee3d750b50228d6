#include "resolve/classic/encoding.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace opcat::classic {

void Encoding::clause(std::span<const int> literals, int guard) {
    if (guard != 0) solver_.add(-guard);
    for (const int literal : literals) solver_.add(literal);
    solver_.add(0);
}

void Encoding::add(VariableId id, const Constraint& constraint, int guard) {
    const int self = literal(id);
    switch (constraint.kind) {
    case Constraint::Kind::mandatory:
        clause({self}, guard);
        break;
    case Constraint::Kind::prohibited:
        clause({-self}, guard);
        break;
    case Constraint::Kind::conflict:
        clause({-self, -literal(constraint.ids[0])}, guard);
        break;
    case Constraint::Kind::dependency: {
        std::vector<int> literals = {-self};
        for (const VariableId other : constraint.ids) literals.push_back(literal(other));
        clause(literals, guard);
        break;
    }
    case Constraint::Kind::at_most_one:
        at_most_one(constraint.ids, guard);
        break;
    }
}

// What is listed twice counts twice, and can never be chosen. Long lists count along: a helper says whether
// one of those so far is chosen.
void Encoding::at_most_one(const std::vector<VariableId>& ids, int guard) {
    std::map<VariableId, size_t> count;
    for (const VariableId id : ids) ++count[id];
    std::vector<int> literals;
    for (const auto& [id, times] : count) {
        if (times > 1)
            clause({-literal(id)}, guard);
        else
            literals.push_back(literal(id));
    }
    constexpr size_t few = 6;
    if (literals.size() <= few) {
        for (size_t i = 0; i < literals.size(); ++i)
            for (size_t j = i + 1; j < literals.size(); ++j) clause({-literals[i], -literals[j]}, guard);
        return;
    }
    int before = 0;
    for (const int literal : literals) {
        const int now = fresh();
        clause({-literal, now}, guard);
        if (before != 0) {
            clause({-before, now}, guard);
            clause({-before, -literal}, guard);
        }
        before = now;
    }
}

bool Encoding::satisfiable(std::span<const int> assumptions) {
    for (const int assumption : assumptions) solver_.assume(assumption);
    return solver_.solve() == 10; // 10 and 20, as in the SAT competitions
}

} // namespace opcat::classic
