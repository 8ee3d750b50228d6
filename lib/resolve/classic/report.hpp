// Answers of OLM classic for programs (docs/resolve-json.md) and for people.
#pragma once

#include "opcat/resolve/classic/explain.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"
#include "opcat/resolve/classic/preflight.hpp"

#include <nlohmann/json_fwd.hpp>

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace opcat::classic {

// One resolution, with what was asked for in addition.
struct Round {
    const ClusterState* cluster = nullptr;
    Prediction prediction;
    // Only where asked for.
    std::vector<Explanation> choices;
    std::optional<GroupObjects> group;
    // Only of failures.
    std::vector<Sentence> failure;
    std::vector<std::string> suggestions;

    // OLM refuses, or what it does would fail.
    bool fails() const;
    // An installed version gets no upgrades.
    bool leaves_stranded() const;
};

struct RoundOptions {
    bool to_end = false;  // as often as there is something to do, assuming that each plan succeeds
    bool choices = false; // also explains what was preferred and is impossible
    bool objects = false; // also lists what OLM makes for the OperatorGroup
    InputNames inputs = {};
};

// At least one. Rounds refer to the clusters, which therefore stay where they are.
struct Rounds {
    std::deque<ClusterState> after; // each round that is followed by another one
    std::deque<Round> rounds;
};

// What OLM does in the namespace, until a round fails or changes nothing, but at most `most_rounds`
// (plan.hpp). Refers to all that the request does.
Rounds resolve_rounds(const Request& request, const RoundOptions& options);

// The document of a series of them in a namespace.
std::string rounds_as_json(const std::string& ns, const std::deque<Round>& rounds);
// One of them as text; control characters are escaped.
std::string to_text(const Round& round);
nlohmann::ordered_json to_json(const Diagnostics& findings);

} // namespace opcat::classic
