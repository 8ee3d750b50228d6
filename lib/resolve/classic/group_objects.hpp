// What OLM makes for the members of an OperatorGroup besides their own manifests: annotations, cluster roles,
// copies (OLM concepts, 2.4.5.4 to 2.4.5.7).
#pragma once

#include "resolve/classic/plan.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opcat::classic {

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
