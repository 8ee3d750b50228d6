// How a resolution came about, for explanations.
#pragma once

#include "opcat/resolve/classic/finder.hpp"
#include "opcat/resolve/classic/problem.hpp"
#include "opcat/resolve/classic/solve.hpp"

#include <vector>

namespace opcat::classic {

struct Reasoning {
    Finder finder;
    Problem problem = {};
    Solution solution = {};
    std::vector<Mistake> mistakes = {};   // if there was no problem to solve
    std::vector<ConstraintRef> core = {}; // the contradicting constraints, if that is the error
};

} // namespace opcat::classic
