// What one round of classic resolution came to, as text and as JSON.
#pragma once

#include "base/diagnostic.hpp"
#include "resolve/classic/explain.hpp"
#include "resolve/classic/operator_groups.hpp"
#include "resolve/classic/preflight.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace opcat {

struct ClassicRound {
    const classic::ClusterState* cluster = nullptr;
    classic::Prediction prediction;
    // Only where asked for.
    std::vector<classic::Explanation> choices;
    std::optional<classic::GroupObjects> group;
    // Only of failures.
    std::vector<classic::Sentence> failure;
    std::vector<std::string> suggestions;
};

std::string to_text(const ClassicRound& round);
nlohmann::ordered_json to_json(const ClassicRound& round);
nlohmann::ordered_json to_json(const Diagnostics& findings);

} // namespace opcat
