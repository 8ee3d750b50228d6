// OperatorGroups: the namespaces that an operator watches, other operators that provide the same APIs there,
// and the objects that OLM creates for the members of a group.
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

// The namespaces that a group selects; the empty name means all.
std::set<std::string> target_namespaces(const OperatorGroup& group, const ClusterState& cluster);

// Why a ClusterServiceVersion with these install modes would fail with reason UnsupportedOperatorGroup in
// namespace `ns`, whose group selects `targets`; empty: it would not.
std::string why_unsupported(const std::set<std::string>& modes, const std::set<std::string>& targets,
                            const std::string& ns);

// Returns true if the namespaces in its status are not those that its spec names: OLM has not looked at the
// group since it was changed. What a selector selects is not compared.
bool is_outdated(const OperatorGroup& group);

// The APIs that a group provides according to its annotation, as "Kind.version.group".
std::set<std::string> provided_apis(const OperatorGroup& group);

// Problems of the plan's operators: no group or several, unsupported install modes, APIs that a group with
// the same namespaces provides already.
void check_operator_groups(const Request& request, const Plan& plan, const InputNames& inputs,
                           Diagnostics& findings);

// ---- what OLM creates for the members in addition to their own manifests: annotations, cluster roles,
// copies (OLM concepts, 2.4.5.4 to 2.4.5.7)

using StringPairs = std::vector<std::pair<std::string, std::string>>;

struct GroupClusterRole {
    std::string name;
    StringPairs labels;        // labels that aggregate it
    std::string verbs;         // "create, update, …"; empty: only what it aggregates
    std::string resource;      // what the verbs are for: "Kind.group"
    std::string aggregated_by; // of a role without verbs: the label that it selects, "key: value"
};

struct MemberObjects {
    std::string csv;
    StringPairs annotations;                     // on the CSV
    std::vector<GroupClusterRole> cluster_roles; // for its APIs; only if all namespaces are watched
    std::vector<std::string> copies;             // namespaces; "" stands for all others
};

struct GroupObjects {
    std::string group;
    std::string provided_apis; // its annotation olm.providedAPIs afterwards; empty if it is static
    std::vector<GroupClusterRole> cluster_roles;
    std::vector<MemberObjects> members; // the operators of the plan
};

// Nothing if the namespace does not have exactly one group. Copies are not made if the OLMConfig disables
// them.
std::optional<GroupObjects> group_objects(const Request& request, const Plan& plan);

} // namespace opcat::classic
