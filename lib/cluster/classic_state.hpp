// What the objects of OLM classic add up to (../shared/design/cluster.md, sections 2.2 to 2.4).
//
// Three objects decide, and none of them alone: Subscription, InstallPlan, ClusterServiceVersion. Conditions
// come late, linger after they have ceased to be true, and vanish.
#pragma once

#include "cluster/json.hpp"
#include "cluster/operator_state.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

struct ClassicObjects {
    std::vector<Json> subscriptions;
    std::vector<Json> plans;
    std::vector<Json> csvs; // without copies
    std::vector<Json> groups;
    std::vector<Json> catalogs;
    std::vector<Json> conditions; // OperatorConditions
    std::vector<Json> pods;       // as far as they were asked for

    // Sorts objects by their kind; copied CSVs are left out.
    void add(std::vector<Json> objects);
    // All that OLM looks at when it resolves: without the pods.
    std::vector<Json> for_resolution() const;

    const Json* subscription_of(std::string_view package, std::string_view ns) const;
    const Json* csv(std::string_view name, std::string_view ns) const;
    const Json* catalog(std::string_view name, std::string_view ns) const;
    std::vector<const Json*> groups_in(std::string_view ns) const;
};

// "2.0.0"
std::string version_of_csv(const Json& csv);

// The package and the version of a CSV in an InstallPlan, as far as that tells.
std::string package_in_plan(const Json& plan, std::string_view csv);
std::string version_in_plan(const Json& plan, std::string_view csv);

bool waits_for_approval(const Json& plan);

// Of the InstallPlans of its namespace the latest that moves this Subscription's operator: what the
// Subscription itself refers to may be stale. nullptr if there is none.
const Json* latest_plan(const ClassicObjects& objects, const Json& subscription);

// The CSV in the plan that is for this Subscription; empty if there is none.
std::string csv_in_plan(const Json& plan, const Json& subscription);

OperatorState state_of_subscription(const ClassicObjects& objects, const Json& subscription);

// All operators: each Subscription, and CSVs that none of them owns; by namespace and package.
std::vector<OperatorState> classic_states(const ClassicObjects& objects);

// What an OperatorGroup watches, as an install mode: "OwnNamespace", "SingleNamespace", "MultiNamespace",
// "AllNamespaces".
std::string mode_of_group(const Json& group);

} // namespace opcat::cluster
