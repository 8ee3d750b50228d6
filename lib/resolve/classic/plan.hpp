// The result of a resolution: Subscriptions, and the steps of an InstallPlan.
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
    // The bundles that are unpacked and applied, with the CSVs that are replaced.
    std::vector<const ResolvedOperator*> bundles;
    std::vector<PlannedSubscription> new_subscriptions;
    // The Subscriptions whose status.currentCSV changes, with the new value.
    std::vector<std::pair<const Subscription*, std::string_view>> updated;
    // An InstallPlan is only made if a Subscription changes. One approval covers all of it.
    bool install_plan = false;
    bool manual = false;

    bool does_something() const { return install_plan; }
};

Plan plan_of(const Request& request, const Resolution& resolution);

// The most plans that are predicted one after the other.
inline constexpr size_t most_rounds = 500;

// The cluster after a successful plan: CSVs installed and replaced, Subscriptions updated.
ClusterState carried_out(const Request& request, const Plan& plan);

} // namespace opcat::classic
