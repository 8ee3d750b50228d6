// Whether a ServiceAccount has the rights that OLM needs to install with it, as the cluster's authorizer
// says.
#pragma once

#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/registry_v1.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

struct AccountRights {
    // "create deployments.apps in namespace shop", "get nodes in all namespaces"
    std::vector<std::string> missing = {};
    std::string unknown = {}; // why some or all of it is not known; empty: it is known

    // The first few of those that are missing, and how many there are besides.
    std::string list() const;
};

// Roles and what they allow; objects of other kinds do not count.
struct NeededRights {
    std::vector<Object> used = {};    // what the account itself does
    std::vector<Object> granted = {}; // what it grants others: nobody grants what they do not hold, unless
                                      // they may escalate and bind
};

// Asks for SubjectAccessReviews, or where the user may not, acts as the account. Where neither is allowed,
// the result says that it is not known. Throws KubectlError for other failures.
AccountRights rights_of_account(const Kubectl& kubectl, const std::string& ns, const std::string& account,
                                const NeededRights& needed);

// What OLM classic does with the account of an OperatorGroup to install a bundle. It puts definitions on the
// cluster with its own rights.
NeededRights scoped_rights(const BundleContent& content, const std::string& ns);

} // namespace opcat::cluster
