// OperatorGroups: which namespaces an operator watches, which other operators provide the same APIs there,
// and what OLM makes for the members of a group.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/plan.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::classic {

struct InputNames;

// The namespaces that a group selects; the empty name stands for all of them.
std::set<std::string> target_namespaces(const OperatorGroup& group, const ClusterState& cluster);

// The APIs that a group provides, as "Kind.version.group": what its annotation says.
std::set<std::string> provided_apis(const OperatorGroup& group);

// What the operators of the plan run into: no group or several, install modes that do not fit, APIs that a
// group with the same namespaces provides already.
void check_operator_groups(const Request& request, const Plan& plan, const InputNames& inputs,
                           Diagnostics& findings);

// ---- what OLM makes for the members besides their own manifests: annotations, cluster roles, copies (OLM
// concepts, 2.4.5.4 to 2.4.5.7)

using StringPairs = std::vector<std::pair<std::string, std::string>>;

struct GroupClusterRole {
    std::string name;
    StringPairs labels;        // that let it be aggregated
    std::string verbs;         // "create, update, …"; empty: only what it aggregates
    std::string resource;      // what the verbs are for: "Kind.group"
    std::string aggregated_by; // of a role without verbs: the label that it selects, "key: value"
};

struct MemberObjects {
    std::string csv;
    StringPairs annotations;                     // on the CSV
    std::vector<GroupClusterRole> cluster_roles; // for its APIs; only where all namespaces are watched
    std::vector<std::string> copies;             // namespaces; "" stands for all others
};

struct GroupObjects {
    std::string group;
    std::string provided_apis; // its annotation olm.providedAPIs afterwards; empty if it is static
    std::vector<GroupClusterRole> cluster_roles;
    std::vector<MemberObjects> members; // the operators of the plan
};

// Nothing if the namespace does not have exactly one group. Copies are not made where the OLMConfig disables
// them.
std::optional<GroupObjects> group_objects(const Request& request, const Plan& plan);

} // namespace opcat::classic
