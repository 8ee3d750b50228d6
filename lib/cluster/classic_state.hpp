// The state of operators, from the objects of OLM classic (docs/spec/cluster.md, sections 2.2 to 2.4).
// It depends on three objects together: Subscription, InstallPlan, ClusterServiceVersion. Conditions are
// late, remain after they have ceased to be true, and disappear.
#pragma once

#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/state.hpp"

#include <functional>
#include <map>
#include <optional>
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
    std::vector<Object> pods;        // those that were requested
    std::vector<std::string> unread; // what the user may not list, a sentence each
    bool all_operators = true;       // false: Subscriptions, InstallPlans and CSVs were not read
    bool all_catalogs = true;        // false: there may be catalogs that the user may not see
    bool catalogs_elsewhere = false; // whether those of other namespaces are included, if they matter
    std::string global_ns;           // whose catalogs all namespaces see; empty: unknown

    bool knows_all_catalogs() const { return all_catalogs && catalogs_elsewhere; }

    // Sorts objects by their kind; copied CSVs are left out.
    void add(std::vector<Object> objects);
    // All objects that OLM reads when it resolves: no pods.
    std::vector<Object> for_resolution() const;

    // Returns the Subscription for a package; the first one if there are several, with which OLM resolves
    // nothing.
    const Object* subscription_of(std::string_view package, std::string_view ns) const;
    std::vector<const Object*> subscriptions_of(std::string_view package, std::string_view ns) const;
    const Object* csv(std::string_view name, std::string_view ns) const;
    const Object* catalog(std::string_view name, std::string_view ns) const;
    std::vector<const Object*> groups_in(std::string_view ns) const;
};

// "2.0.0"
std::string version_of_csv(const Object& csv);

// The bundle of a CSV as an InstallPlan describes it. Each member may be empty.
struct PlannedBundle {
    std::string package = {};
    std::string version = {};
    std::string replaces = {}; // a CSV
};

// By the name of the CSV. Parses the whole plan, whose size has a limit only in the API server.
std::map<std::string, PlannedBundle, std::less<>> bundles_in_plan(const Object& plan);

bool waits_for_approval(const Object& plan);

// The latest InstallPlan of its namespace that changes this Subscription's operator, because the
// Subscription's own reference may be stale. nullptr if there is none.
const Object* latest_plan(const ClassicObjects& objects, const Object& subscription);

// The CSV in the plan for this Subscription; empty if there is none.
std::string csv_in_plan(const Object& plan, const Object& subscription);

OperatorState state_of_subscription(const ClassicObjects& objects, const Object& subscription);

// All operators: the Subscriptions, and CSVs without one; by namespace and package.
std::vector<OperatorState> classic_states(const ClassicObjects& objects);

// The namespaces that an OperatorGroup watches, sorted; an empty list means all namespaces. nullopt if they
// are unknown: it has a selector, and OLM has not reported a namespace for it.
std::optional<std::vector<std::string>> targets_of_group(const Object& group);

// The same as an install mode: "OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"; empty if
// they are unknown.
std::string mode_of_group(const Object& group);

} // namespace opcat::cluster
