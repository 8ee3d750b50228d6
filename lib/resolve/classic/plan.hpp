// What OLM makes of a resolution: Subscriptions, and the steps of an InstallPlan.
#pragma once

#include "opcat/resolve/classic/resolve.hpp"

#include <string>
#include <utility>
#include <vector>

namespace opcat::classic {

struct PlannedSubscription {
    std::string name;
    const Entry* entry = nullptr; // package, channel, catalog; the entry is its startingCSV
};

struct Plan {
    std::string error; // OLM's words; empty: none
    // What is unpacked and applied, with the CSV that each takes the place of.
    std::vector<const ResolvedOperator*> bundles;
    std::vector<PlannedSubscription> new_subscriptions;
    // Whose status.currentCSV changes, and to what.
    std::vector<std::pair<const Subscription*, std::string_view>> updated;
    // An InstallPlan is made only if a Subscription moves. One approval is for all of it.
    bool install_plan = false;
    bool manual = false;

    bool does_something() const { return install_plan; }
};

Plan plan_of(const Request& request, const Resolution& resolution);

// Plans carried out one after the other: after so many, nobody is interested in the next.
inline constexpr size_t most_rounds = 500;

// The cluster as it is when the plan has been carried out and all has gone well: CSVs installed and replaced,
// Subscriptions moved on.
ClusterState carried_out(const Request& request, const Plan& plan);

} // namespace opcat::classic
