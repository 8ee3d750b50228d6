// Which namespaces an operator watches, and who else provides the same APIs there.
#pragma once

#include "base/diagnostic.hpp"
#include "resolve/classic/plan.hpp"

#include <set>
#include <string>
#include <string_view>

namespace opcat::classic {

// The namespaces that a group selects; the empty name stands for all of them.
std::set<std::string> target_namespaces(const OperatorGroup& group, const ClusterState& cluster);

// The APIs that a group provides, as "Kind.version.group": what its annotation says.
std::set<std::string> provided_apis(const OperatorGroup& group);

// What the operators of the plan run into: no group or several, install modes that do not fit, APIs that a
// group with the same namespaces provides already.
void check_operator_groups(const Request& request, const Plan& plan, Diagnostics& findings);

} // namespace opcat::classic
