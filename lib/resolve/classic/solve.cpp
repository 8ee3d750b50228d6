#include "opcat/resolve/classic/solve.hpp"

#include "opcat/resolve/classic/problem.hpp"

#include <cadical.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <vector>

namespace opcat::classic {

// A problem as clauses for CaDiCaL. Positive numbers mean that a variable is chosen, negative ones that it is
// not.
class Encoding {
public:
    explicit Encoding(const Problem& problem) : next_(static_cast<int>(problem.variables.size()) + 1) {
        solver_.set("quiet", 1);
    }

    static int literal(VariableId id) { return static_cast<int>(id) + 1; }
    int fresh() { return next_++; }

    // With `guard` (0: none) the constraint counts only where that is assumed.
    void add(VariableId id, const Constraint& constraint, int guard);
    void require(int literal) { clause({literal}, 0); }

    // Together with what must be anyway.
    bool satisfiable(std::span<const int> assumptions);
    // After an answer: yes.
    bool is_true(VariableId id) { return solver_.val(literal(id)) > 0; }
    // After an unsatisfiable answer: whether the assumption was part of the reason.
    bool failed(int assumption) { return solver_.failed(assumption); }

private:
    void clause(std::span<const int> literals, int guard);
    void clause(std::initializer_list<int> literals, int guard) {
        clause(std::span(literals.begin(), literals.size()), guard);
    }
    void at_most_one(const std::vector<VariableId>& ids, int guard);

    CaDiCaL::Solver solver_;
    int next_;
};

namespace {

class Search {
public:
    explicit Search(const Problem& problem)
        : problem_(problem), encoding_(problem), is_chosen_(problem.variables.size()) {
        for (VariableId id = 0; id < problem.variables.size(); ++id)
            for (const Constraint& constraint : problem.variables[id].constraints)
                encoding_.add(id, constraint, 0);
    }

    Solution run() {
        Solution& s = solution_;
        s.satisfiable = encoding_.satisfiable({});
        if (!s.satisfiable) return std::move(s);
        remember_model();
        // The choices of what must be are before all others, so that their requirements come later.
        for (VariableId id = 0; id < problem_.variables.size(); ++id)
            if (problem_.is_mandatory(id)) choose(id);
        for (; !open_.empty(); open_.pop()) decide(open_.front());
        return std::move(s);
    }

private:
    void remember_model() {
        model_.resize(problem_.variables.size());
        for (VariableId id = 0; id < model_.size(); ++id) model_[id] = encoding_.is_true(id);
    }

    void choose(VariableId id) {
        is_chosen_[id] = true;
        solution_.chosen.push_back(id);
        encoding_.require(Encoding::literal(id));
        const auto& constraints = problem_.variables[id].constraints;
        for (uint32_t i = 0; i < constraints.size(); ++i)
            if (constraints[i].kind == Constraint::Kind::dependency && !constraints[i].ids.empty())
                open_.push({id, i});
    }

    void decide(const ConstraintRef& open) {
        const auto& ids = problem_.variables[open.variable].constraints[open.index].ids;
        if (std::any_of(ids.begin(), ids.end(), [this](VariableId id) { return is_chosen_[id]; })) return;
        Decision decision{open, {}, 0, solution_.chosen.size()};
        for (const VariableId id : ids) {
            if (!is_possible(id)) {
                decision.rejected.push_back(id);
                continue;
            }
            decision.chosen = id;
            choose(id);
            break;
        }
        solution_.decisions.push_back(std::move(decision));
    }

    bool is_possible(VariableId id) {
        if (model_[id]) return true;
        const int literal = Encoding::literal(id);
        if (!encoding_.satisfiable({&literal, 1})) return false;
        remember_model();
        return true;
    }

    const Problem& problem_;
    Encoding encoding_;
    std::vector<bool> is_chosen_;
    std::vector<bool> model_; // a solution with all that is chosen
    std::queue<ConstraintRef> open_;
    Solution solution_;
};

// Returns the content of a constraint, by which equal ones are recognised.
std::vector<int> content_of(VariableId id, const Constraint& constraint) {
    const int self = Encoding::literal(id);
    std::vector<int> ids;
    for (const VariableId other : constraint.ids) ids.push_back(Encoding::literal(other));
    switch (constraint.kind) {
    case Constraint::Kind::mandatory:
        return {self};
    case Constraint::Kind::prohibited:
        return {-self};
    case Constraint::Kind::conflict:
        return {-std::min(self, ids[0]), -std::max(self, ids[0])};
    case Constraint::Kind::dependency:
        ids.insert(ids.begin(), -self);
        return ids;
    case Constraint::Kind::at_most_one:
        break;
    }
    std::sort(ids.begin(), ids.end());
    for (int& other : ids) other = -other;
    // More than two cannot be distinguished from a conflict otherwise, two are one.
    if (ids.size() > 2) ids.push_back(0);
    return ids;
}

bool always_holds(VariableId id, const Constraint& constraint) {
    return constraint.kind == Constraint::Kind::dependency &&
           std::find(constraint.ids.begin(), constraint.ids.end(), id) != constraint.ids.end();
}

const Constraint& at(const Problem& problem, const ConstraintRef& ref) {
    return problem.variables[ref.variable].constraints[ref.index];
}

// Only the last of a variable's equal constraints has a name in OLM's messages. The others are left out, as
// are those that always hold.
std::vector<ConstraintRef> distinct_constraints(const Problem& problem) {
    std::map<std::vector<int>, ConstraintRef> last;
    for (VariableId id = 0; id < problem.variables.size(); ++id) {
        const auto& constraints = problem.variables[id].constraints;
        for (uint32_t i = 0; i < constraints.size(); ++i)
            if (!always_holds(id, constraints[i])) last[content_of(id, constraints[i])] = {id, i};
    }
    std::vector<ConstraintRef> distinct;
    distinct.reserve(last.size());
    for (const auto& [content, ref] : last) distinct.push_back(ref);
    std::sort(distinct.begin(), distinct.end());
    return distinct;
}

} // namespace

Solution solve(const Problem& problem) {
    return Search(problem).run();
}

std::vector<ConstraintRef> minimal_core(const Problem& problem, std::span<const VariableId> chosen) {
    Encoding encoding(problem);
    for (const VariableId id : chosen) encoding.require(Encoding::literal(id));
    std::vector<std::pair<int, ConstraintRef>> core; // with their guards
    for (const ConstraintRef& ref : distinct_constraints(problem)) {
        const int guard = encoding.fresh();
        encoding.add(ref.variable, at(problem, ref), guard);
        core.emplace_back(guard, ref);
    }
    const auto holds_without = [&](size_t left_out) {
        std::vector<int> guards;
        for (size_t i = 0; i < core.size(); ++i)
            if (i != left_out) guards.push_back(core[i].first);
        return encoding.satisfiable(guards);
    };
    const auto keep_failed = [&](size_t left_out) {
        std::vector<std::pair<int, ConstraintRef>> kept;
        for (size_t i = 0; i < core.size(); ++i)
            if (i != left_out && encoding.failed(core[i].first)) kept.push_back(core[i]);
        core = std::move(kept);
    };
    if (holds_without(SIZE_MAX)) return {};
    keep_failed(SIZE_MAX);
    // Prefers to keep the first ones in the order of the problem.
    for (size_t i = core.size(); i > 0; --i) {
        if (i > core.size()) continue;
        if (!holds_without(i - 1)) keep_failed(i - 1);
    }
    std::vector<ConstraintRef> minimal;
    minimal.reserve(core.size());
    for (const auto& [guard, ref] : core) minimal.push_back(ref);
    return minimal;
}

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

// An id that is listed twice counts twice, and can never be chosen. Long lists have helpers that say if one
// of the ids so far is chosen.
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
