// The solution of a problem that OLM chooses.
#pragma once

#include "opcat/resolve/classic/problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace opcat::classic {

struct ConstraintRef {
    VariableId variable = 0;
    uint32_t index = 0; // of the variable's constraints
    friend auto operator<=>(const ConstraintRef&, const ConstraintRef&) = default;
};

// A decision of the search: a dependency of a chosen variable that no chosen one satisfied.
struct Decision {
    ConstraintRef constraint;
    std::vector<VariableId> rejected; // more preferred ones that are impossible, given `before`
    VariableId chosen = 0;
    size_t before = 0; // the number of variables chosen before
};

struct Solution {
    bool satisfiable = false;
    std::vector<VariableId> chosen; // in the order of choosing, of all kinds
    std::vector<Decision> decisions;
};

// OLM searches depth first: mandatory variables come first, in their order, then their dependencies, in the
// order of constraints, each time with the first candidate that keeps the problem solvable; the first
// complete assignment is the answer. Here a SAT solver decides what is solvable, exactly, so the search never
// backtracks: as long as the problem is solvable with the chosen variables, some candidate of each dependency
// is true in a solution, and choosing it preserves that solution.
Solution solve(const Problem& problem);

// A minimal set of constraints (one of those that say the same) that contradict each other, together with the
// variables in `chosen`. Empty if they do not.
std::vector<ConstraintRef> minimal_core(const Problem& problem, std::span<const VariableId> chosen = {});

} // namespace opcat::classic
