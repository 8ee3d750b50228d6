// Asks the cluster's authorizer if a ServiceAccount has the rights that OLM needs to install with it.
#pragma once

#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/registry_v1.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

struct AccountRights {
    // "create deployments.apps in namespace shop", "get nodes in the whole cluster"
    std::vector<std::string> missing = {};
    std::string unknown = {}; // why some or all of it is unknown; empty: it is known

    // The first few missing rights, and how many others are missing.
    std::string list() const;
};

// Roles and what they allow; objects of other kinds are ignored.
struct NeededRights {
    std::vector<Object> used = {};    // what the account itself does
    std::vector<Object> granted = {}; // what it grants to others: Kubernetes lets nobody grant rights that
                                      // they do not hold, unless they may escalate and bind
};

// Sends SubjectAccessReviews, or if the user may not, impersonates the account. Many rights are compared with
// the account's rules, which are read as the account; of those that the rules do not decide, the first few
// are asked about. If nothing of it is allowed, the result says that the rights are unknown. Throws
// KubectlError for other failures.
AccountRights rights_of_account(const Kubectl& kubectl, const std::string& ns, const std::string& account,
                                const NeededRights& needed);

// The rights that OLM classic needs from the account of an OperatorGroup to install a bundle. It creates
// definitions with its own rights.
NeededRights scoped_rights(const BundleContent& content, const std::string& ns);

} // namespace opcat::cluster
