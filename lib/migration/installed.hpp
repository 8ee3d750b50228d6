// The operators of OLM classic on a cluster, what they require of each other, and what replaces them.
#pragma once

#include "opcat/migration/migration.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::migration {

// The sets hold kinds, as "Gizmo.example.org", and packages, as "package shop".
struct InstalledOperator {
    const classic::Subscription* subscription = nullptr; // nullptr: none is about it
    const classic::ClusterServiceVersion* csv = nullptr; // nullptr: it does not exist
    const PackageGraph* package = nullptr;               // nullptr: its catalog is not known, or lacks it
    bool catalog_known = false;
    NodeId node = no_node; // of the installed version in the catalog
    std::set<std::string> provides = {}, requires_ = {};
    bool has_expression = false; // a constraint in CEL: which operators fulfil it is not known

    const std::string& ns() const { return subscription ? subscription->ns : csv->ns; }
    // The package; without a Subscription the ClusterServiceVersion.
    const std::string& name() const { return subscription ? subscription->package : csv->name; }
};

// One for each Subscription, by package, namespace and name. Refers to the cluster and the catalogs.
std::vector<InstalledOperator> installed_operators(const classic::ClusterState& cluster,
                                                   const Catalogs& catalogs);

// Those of classic::unsubscribed_csvs(). Refers to the cluster.
std::vector<InstalledOperator> unsubscribed_operators(const classic::ClusterState& cluster);

// Holds back the operators that others require: OLM classic resolves an operator only as long as what it
// requires is installed by OLM classic, too. `plans` are those of `installed`, in the same order. Returns the
// order in which to move them: those that require an operator come before it.
std::vector<size_t> hold_back_required(const std::vector<InstalledOperator>& installed,
                                       const std::vector<InstalledOperator>& unsubscribed,
                                       std::vector<OperatorPlan>& plans);

struct Replaced {
    const InstalledOperator& installed;
    const std::optional<std::set<std::string>>& watched; // namespaces, none: all; nothing: not known
    const cluster::Object* condition;                    // its OperatorCondition; nullptr: there is none
    const CatalogPlan* catalog;                          // nullptr: it was not read
    const olmv1::OlmRelease& release;
};

// Adds what OLM v1 will not do, and if the operator may move, the objects that OLM v1 needs.
void add_replacement(const Replaced& replaced, OperatorPlan& plan);

} // namespace opcat::migration
