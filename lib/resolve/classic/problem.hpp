// The resolver's problem as OLM composes it: variables that are chosen or not, and what holds among them.
#pragma once

#include "opcat/resolve/classic/finder.hpp"
#include "opcat/resolve/classic/snapshot.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace opcat::classic {

using VariableId = uint32_t;

struct Constraint {
    enum class Kind : uint8_t {
        mandatory,   // the variable is chosen
        prohibited,  // it is not
        dependency,  // if it is, one of `ids` is: the first that can be
        conflict,    // if it is, ids[0] is not
        at_most_one, // of `ids`, whatever the variable is
    };
    Kind kind = Kind::mandatory;
    std::vector<VariableId> ids;
    // What it comes from, for those who explain it; nullptr: from nothing that is written anywhere.
    const EntryProperty* property = nullptr;
    std::string text; // as OLM words it, or the part of it that is not worked out from the ids (see text_of)
    std::string failure_message; // the words of the author of an olm.constraint
};

struct Variable {
    enum class Kind : uint8_t { bundle, subscription, single_provider, single_package };
    Kind kind = Kind::bundle;
    std::string id;
    const Entry* entry = nullptr;               // bundle
    const Subscription* subscription = nullptr; // subscription
    const Entry* replaces =
        nullptr; // bundle: what is installed and would be upgraded to it, for a Subscription
    std::vector<Constraint> constraints;

    // OLM takes the identifier of an operator apart again: catalog, its namespace, channel and name. Where
    // one of them has a slash itself, that fails.
    bool has_readable_id() const;
};

// In the order in which they were made, which is the order of preference among those that must be.
struct Problem {
    std::vector<Variable> variables;
    std::unordered_map<std::string, VariableId> by_id;

    bool is_mandatory(VariableId id) const;
    // OLM's wording.
    std::string text_of(VariableId id, const Constraint& constraint) const;
};

// "[m1, m2]", or the one message that all are.
std::string aggregate(const std::vector<std::string>& messages);

// Something that keeps OLM from composing a problem at all, or from using its solution.
struct Mistake {
    std::string text;                           // OLM's
    const Entry* entry = nullptr;               // whose it is, and
    const EntryProperty* property = nullptr;    // which of its properties; or
    const Subscription* subscription = nullptr; // whose candidates have no order
};

struct BuiltProblem {
    Problem problem;
    std::vector<Mistake> mistakes; // if any, there is no problem to solve
};

// `subscriptions` are those of the namespace, by name. All of them, and the finder's catalogs, must outlive
// the result.
BuiltProblem build_problem(Finder& finder, std::span<const Subscription* const> subscriptions);

} // namespace opcat::classic
