// The resolver's problem as OLM composes it: variables that are chosen or not, and constraints on them.
#pragma once

#include "opcat/resolve/classic/finder.hpp"
#include "opcat/resolve/classic/snapshot.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace opcat::classic {

using VariableId = uint32_t;

struct Constraint {
    enum class Kind : uint8_t {
        mandatory,   // the variable is chosen
        prohibited,  // it is not
        dependency,  // if it is chosen, one of `ids` must be: the first possible one
        conflict,    // if it is chosen, ids[0] must not be
        at_most_one, // of `ids`, independently of the variable
    };
    Kind kind = Kind::mandatory;
    std::vector<VariableId> ids;
    // Its origin, for explanations; nullptr: none.
    const EntryProperty* property = nullptr;
    std::string text; // in OLM's words, or the part of them that does not depend on the ids (see text_of)
    std::string failure_message; // the words of the author of an olm.constraint
};

struct Variable {
    enum class Kind : uint8_t { bundle, subscription, single_provider, single_package };
    Kind kind = Kind::bundle;
    std::string id;
    const Entry* entry = nullptr;               // bundle
    const Subscription* subscription = nullptr; // subscription
    const Entry* replaces =
        nullptr; // bundle: the installed one that would be upgraded to it, for a Subscription
    std::vector<Constraint> constraints;

    // OLM splits the identifier of an operator into catalog, its namespace, channel and name. If one of them
    // contains a slash, that fails.
    bool has_readable_id() const;
};

// In the order of creation, which is the order of preference among mandatory ones.
struct Problem {
    std::vector<Variable> variables;

    bool is_mandatory(VariableId id) const;
    // OLM's wording.
    std::string text_of(VariableId id, const Constraint& constraint) const;
};

// "[m1, m2]", or the single message that all have.
std::string aggregate(const std::vector<std::string>& messages);

// A mistake because of which OLM cannot compose a problem, or cannot use its solution.
struct Mistake {
    std::string text;                           // OLM's
    const Entry* entry = nullptr;               // whose it is, and
    const EntryProperty* property = nullptr;    // which of its properties; or
    const Subscription* subscription = nullptr; // channel whose candidates have no order
};

struct BuiltProblem {
    Problem problem;
    std::vector<Mistake> mistakes; // if not empty, there is no problem to solve
};

// `subscriptions` are those of the namespace, by name. They and the finder's catalogs must outlive the
// result.
BuiltProblem build_problem(Finder& finder, std::span<const Subscription* const> subscriptions);

} // namespace opcat::classic
