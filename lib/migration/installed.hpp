// The operators of OLM classic on a cluster, with what they provide and require of each other.
#pragma once

#include "opcat/migration/migration.hpp"

#include <set>
#include <string>
#include <vector>

namespace opcat::migration {

// The sets hold kinds, as "Gizmo.example.org", and packages, as "package shop".
struct InstalledOperator {
    const classic::Subscription* subscription = nullptr;
    const classic::ClusterServiceVersion* csv = nullptr; // nullptr: it does not exist
    const PackageGraph* package = nullptr;               // nullptr: its catalog is not known, or lacks it
    bool catalog_known = false;
    NodeId node = no_node; // of the installed version in the catalog
    std::set<std::string> provides = {}, requires_ = {};
    bool has_expression = false; // a constraint in CEL: which operators fulfil it is not known
};

// One for each Subscription, by package, namespace and name. Refers to the cluster and the catalogs.
std::vector<InstalledOperator> installed_operators(const classic::ClusterState& cluster,
                                                   const Catalogs& catalogs);

} // namespace opcat::migration
