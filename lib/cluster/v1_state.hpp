// What the objects of OLM v1 add up to (../shared/design/cluster.md, sections 3.2 to 3.4 and 5).
#pragma once

#include "cluster/operator_state.hpp"

#include <span>
#include <string>
#include <vector>

namespace opcat::cluster {

// `deployments` and `pods` are those of the extension, or more: OLM v1's standard features do not look at
// them, so that a crashing operator is "installed" to it.
OperatorState state_of_extension(const Json& extension, std::span<const Json> deployments,
                                 std::span<const Json> pods);

// The package that a ClusterExtension is for.
std::string package_of(const Json& extension);

// The label by which OLM v1 knows what belongs to an extension.
inline constexpr const char* owner_name_label = "olm.operatorframework.io/owner-name";

} // namespace opcat::cluster
