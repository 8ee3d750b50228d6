// The answer to a problem: OLM's, not any.
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

// A place where the search had to choose: a dependency of a chosen variable that no chosen one met.
struct Decision {
    ConstraintRef constraint;
    std::vector<VariableId> rejected; // what comes before in preference and is impossible, given `before`
    VariableId chosen = 0;
    size_t before = 0; // how many variables of `chosen` were chosen then
};

struct Solution {
    bool satisfiable = false;
    std::vector<VariableId> chosen; // in the order of choosing, of all kinds
    std::vector<Decision> decisions;
};

// OLM searches depth first: what must be comes first, in its order, then what that depends on, in the order
// of constraints, each time with the first candidate that does not make the problem impossible; the first way
// through is the answer. Here a SAT solver says what is impossible. It says so exactly, so there never is a
// way back: as long as the problem can be solved with what is chosen, some candidate of each dependency is
// true in a solution, and choosing it leaves that solution.
Solution solve(const Problem& problem);

// A smallest set of constraints (of those that say the same only one) that cannot hold together (none can be
// left out), if those of `chosen` are chosen besides. Empty if all of them can hold.
std::vector<ConstraintRef> minimal_core(const Problem& problem, std::span<const VariableId> chosen = {});

// Whether these constraints, and no others, can hold together with `chosen`.
bool can_hold(const Problem& problem, std::span<const ConstraintRef> constraints,
              std::span<const VariableId> chosen = {});

} // namespace opcat::classic
