// The installed operators in the manifests of a cluster.
#pragma once

#include "opcat/planning/request.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/obstacles.hpp"

#include <string>
#include <vector>

namespace opcat::planning {

// Subscriptions with what they have installed, ClusterServiceVersions without a Subscription, and
// ClusterExtensions. What a plan must know and they do not say is in `unknown`.
std::vector<InstalledOperator> operators_of(const classic::ClusterState& cluster);

// InstalledOperator::held of a Subscription, with what it has installed, its OperatorCondition and the
// InstallPlan that it refers to (nullptr: not known).
std::string why_held(const classic::Object& subscription, const classic::Object* csv,
                     const classic::Object* condition, const classic::Object* plan, bool fails_forward,
                     const classic::Surroundings& around);

} // namespace opcat::planning
