// The installed operators in the manifests of a cluster.
#pragma once

#include "opcat/planning/request.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/obstacles.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::planning {

// Subscriptions with what they have installed, ClusterServiceVersions without a Subscription, and
// ClusterExtensions. What a plan must know and they do not say is in `unknown`.
std::vector<InstalledOperator> operators_of(const classic::ClusterState& cluster);

// Why nothing can be planned for a Subscription whose ClusterServiceVersion is missing.
std::string not_there(std::string_view csv);

// Why OpenShift does not go to the next minor version now, as its ClusterVersion says; empty: it says
// nothing.
std::string why_cluster_stays(const classic::Object& cluster_version);

// Sets `unknown` of operators whose package OLM v1 and somebody else has installed, too.
void refuse_packages_of_both(std::vector<InstalledOperator>& operators);

// Sets `pending` and `pending_waits` from a Subscription that has installed something, and the InstallPlan
// that it refers to (nullptr: not known).
void read_pending(InstalledOperator& installed, const classic::Object& subscription,
                  const classic::Object* plan);

// InstalledOperator::held of a Subscription, with what it has installed, its OperatorCondition and the
// InstallPlan that it refers to (nullptr: not known).
std::string why_held(const classic::Object& subscription, const classic::Object* csv,
                     const classic::Object* condition, const classic::Object* plan, bool fails_forward,
                     const classic::Surroundings& around);

} // namespace opcat::planning
