// The health of operators and catalogs, for people and for programs.
#pragma once

#include "opcat/cluster/snapshot.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace opcat::cluster {

// The rows of a table of the operators (base/table.hpp), with a title. Control characters are escaped, as in
// the texts below.
std::string operators_as_rows(std::span<const OperatorState> states);

// What an operator that is being installed or upgraded is doing, as a phrase; empty: nothing is known of it.
std::string step_of(const OperatorState& state);

// What to do about a state, as a command if one helps; empty if unknown.
std::string advice_for(const OperatorState& state);

// What does not fit into the row of an operator: lines after an empty one; empty if there is nothing.
std::string details_of(const OperatorState& state);

// Why a catalog is not ready, and what it holds up: lines after an empty one.
std::string outage_as_text(const CatalogOutage& outage);

// The document of schema "opcat.status.v1" (docs/json-output.md).
nlohmann::ordered_json snapshot_as_json(const ClusterSnapshot& snapshot);

} // namespace opcat::cluster
