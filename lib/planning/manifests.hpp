// The installed operators in the manifests of a cluster.
#pragma once

#include "opcat/planning/request.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"

#include <string>
#include <vector>

namespace opcat::planning {

// Subscriptions with what they have installed, ClusterServiceVersions without a Subscription, and
// ClusterExtensions. What a plan must know and they do not say is in `unknown`. `is_whole`: the cluster has
// no other objects.
std::vector<InstalledOperator> operators_of(const classic::ClusterState& cluster, bool is_whole = false);

// Why OpenShift does not go to the next minor version now, as its ClusterVersion says; empty: it says
// nothing.
std::string why_cluster_stays(const classic::Object& cluster_version);

} // namespace opcat::planning
