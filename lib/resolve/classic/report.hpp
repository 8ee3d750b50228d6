// Answers of OLM classic for programs (docs/resolve-json.md).
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
};

// The document of a series of them in a namespace.
std::string rounds_as_json(const std::string& ns, const std::deque<Round>& rounds);
nlohmann::ordered_json to_json(const Diagnostics& findings);

} // namespace opcat::classic
