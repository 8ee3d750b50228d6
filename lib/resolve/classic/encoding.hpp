// A problem as clauses for CaDiCaL.
#pragma once

#include "resolve/classic/problem.hpp"

#include <cadical.hpp>

#include <cstdint>

namespace opcat::classic {

// Positive numbers are variables being chosen, negative ones their not being so.
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
    // After an answer: no. Whether the assumption was part of the reason.
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

} // namespace opcat::classic
