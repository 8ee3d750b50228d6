// The installed operators in the manifests of a cluster.
#pragma once

#include "opcat/planning/request.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"

#include <vector>

namespace opcat::planning {

// Subscriptions with what they have installed, ClusterServiceVersions without a Subscription, and
// ClusterExtensions. What a plan must know and they do not say is in `unknown`.
std::vector<InstalledOperator> operators_of(const classic::ClusterState& cluster);

} // namespace opcat::planning
