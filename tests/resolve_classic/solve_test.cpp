#include "brute_force.hpp"
#include "opcat/resolve/classic/solve.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <random>

using namespace opcat::classic;

namespace {

class RandomProblem {
public:
    explicit RandomProblem(unsigned seed) : random_(seed) {}

    Problem make() {
        Problem problem;
        const size_t count = 4 + below(9);
        problem.variables.resize(count);
        for (VariableId id = 0; id < count; ++id) {
            problem.variables[id].id = fmt::format("v{}", id);
            auto& constraints = problem.variables[id].constraints;
            if (id < 2) constraints.push_back(constraint(Constraint::Kind::mandatory, {}));
            if (one_in(id < 2 ? 50 : 5)) constraints.push_back(constraint(Constraint::Kind::prohibited, {}));
            for (size_t n = below(3); n > 0; --n)
                constraints.push_back(
                    constraint(Constraint::Kind::dependency, ids(count, one_in(25) ? 0 : 1 + below(5))));
            if (one_in(4)) constraints.push_back(constraint(Constraint::Kind::conflict, ids(count, 1)));
            if (one_in(9))
                constraints.push_back(constraint(Constraint::Kind::at_most_one, ids(count, 2 + below(7))));
        }
        return problem;
    }

private:
    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
    bool one_in(size_t n) { return below(n) == 0; }

    std::vector<VariableId> ids(size_t count, size_t n) {
        std::vector<VariableId> found(n);
        for (VariableId& id : found) id = static_cast<VariableId>(below(count));
        return found;
    }

    static Constraint constraint(Constraint::Kind kind, std::vector<VariableId> ids) {
        return {kind, std::move(ids), nullptr, "", {}};
    }

    std::mt19937 random_;
};

unsigned set_of(std::span<const VariableId> ids) {
    unsigned set = 0;
    for (const VariableId id : ids) set |= 1U << id;
    return set;
}

// The whole core is unsatisfiable, and it is satisfiable without any one of its members.
bool is_minimal(const BruteForce& brute, const std::vector<ConstraintRef>& core, unsigned chosen) {
    if (core.empty() || brute.satisfiable(core, chosen)) return false;
    for (size_t i = 0; i < core.size(); ++i) {
        auto rest = core;
        rest.erase(rest.begin() + static_cast<long>(i));
        if (!brute.satisfiable(rest, chosen)) return false;
    }
    return true;
}

} // namespace

TEST_CASE("10,000 random problems have the solutions of brute force, and minimal explanations") {
    size_t solved = 0;
    size_t unsolvable = 0;
    size_t second_choices = 0;
    for (unsigned seed = 0; seed < 10'000; ++seed) {
        CAPTURE(seed);
        const Problem problem = RandomProblem(seed).make();
        const BruteForce brute(problem);
        const auto wanted = brute.preferred();
        const Solution solution = solve(problem);
        REQUIRE(solution.satisfiable == wanted.has_value());
        REQUIRE(solution.satisfiable == brute.satisfiable(brute.constraints()));
        if (!wanted) {
            ++unsolvable;
            REQUIRE(is_minimal(brute, minimal_core(problem), 0));
            continue;
        }
        ++solved;
        REQUIRE(solution.chosen == *wanted);
        REQUIRE(minimal_core(problem).empty());
        for (const Decision& decision : solution.decisions) {
            for (const VariableId rejected : decision.rejected) {
                ++second_choices;
                std::vector<VariableId> given(solution.chosen.begin(),
                                              solution.chosen.begin() + static_cast<long>(decision.before));
                given.push_back(rejected);
                const auto core = minimal_core(problem, given);
                REQUIRE(is_minimal(brute, core, set_of(given)));
            }
        }
    }
    // There are instances of all kinds.
    CHECK(solved > 2000);
    CHECK(unsolvable > 2000);
    CHECK(second_choices > 1000);
}
