// The objects that install an operator, as they are made for a namespace of its own: what
// plan_classic_install and plan_v1_install decide without looking at a cluster.
#pragma once

#include "opcat/cluster/objects.hpp"

#include <span>
#include <string>
#include <vector>

namespace opcat::cluster {

// The namespaces that an operator in `ns` watches if nobody says which: its own, or all (none here) if it
// does not support that. `install_modes`: that it supports; none: they are not known.
std::vector<std::string> default_targets(const std::string& ns, std::span<const std::string> install_modes);
bool supports_mode(std::span<const std::string> install_modes, std::string_view mode);

// The namespace, an OperatorGroup, the Subscription.
std::vector<Object> subscription_with_group(const SubscriptionSpec& wanted,
                                            std::span<const std::string> install_modes);

// The account that installs an extension, for releases of OLM v1 that use one.
std::string installer_name(const std::string& extension);
// The namespace, the account without rights, the ClusterExtension.
std::vector<Object> extension_with_account(const ExtensionSpec& wanted);

} // namespace opcat::cluster
