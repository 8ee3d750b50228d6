// What the objects of OLM classic add up to (docs/spec/cluster.md, sections 2.2 to 2.4).
//
// Three objects decide, and none of them alone: Subscription, InstallPlan, ClusterServiceVersion. Conditions
// come late, linger after they have ceased to be true, and vanish.
#pragma once

#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/state.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

struct ClassicObjects {
    std::vector<Object> subscriptions;
    std::vector<Object> plans;
    std::vector<Object> csvs; // without copies
    std::vector<Object> groups;
    std::vector<Object> catalogs;
    std::vector<Object> conditions;  // OperatorConditions
    std::vector<Object> pods;        // as far as they were asked for
    std::vector<std::string> unread; // what the user may not list, a sentence for each
    bool all_catalogs = true;        // false: there may be catalogs that the user may not see
    bool catalogs_elsewhere =
        false;             // whether those of other namespaces are among them, as far as they matter
    std::string global_ns; // whose catalogs all namespaces see; empty: unknown

    // Sorts objects by their kind; copied CSVs are left out.
    void add(std::vector<Object> objects);
    // All that OLM looks at when it resolves: without the pods.
    std::vector<Object> for_resolution() const;

    const Object* subscription_of(std::string_view package, std::string_view ns) const;
    const Object* csv(std::string_view name, std::string_view ns) const;
    const Object* catalog(std::string_view name, std::string_view ns) const;
    std::vector<const Object*> groups_in(std::string_view ns) const;
};

// "2.0.0"
std::string version_of_csv(const Object& csv);

// The package and the version of a CSV in an InstallPlan, as far as that says.
std::string package_in_plan(const Object& plan, std::string_view csv);
std::string version_in_plan(const Object& plan, std::string_view csv);

bool waits_for_approval(const Object& plan);

// Of the InstallPlans of its namespace the latest that moves this Subscription's operator: what the
// Subscription itself refers to may be stale. nullptr if there is none.
const Object* latest_plan(const ClassicObjects& objects, const Object& subscription);

// The CSV in the plan that is for this Subscription; empty if there is none.
std::string csv_in_plan(const Object& plan, const Object& subscription);

OperatorState state_of_subscription(const ClassicObjects& objects, const Object& subscription);

// All operators: each Subscription, and CSVs that none of them owns; by namespace and package.
std::vector<OperatorState> classic_states(const ClassicObjects& objects);

// What an OperatorGroup watches, as an install mode: "OwnNamespace", "SingleNamespace", "MultiNamespace",
// "AllNamespaces".
std::string mode_of_group(const Object& group);

} // namespace opcat::cluster
