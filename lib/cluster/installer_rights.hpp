// The rights of the account that a ClusterExtension names, and with which OLM v1 installs
// (docs/spec/cluster.md, section 3.8). They depend on the release of OLM v1, on its feature set and on the
// API server.
#pragma once

#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

class Kubectl;

// The label and the annotation of the objects that opcat creates so that OLM v1 may install; their value is
// the extension's name. The label finds the objects. The annotation is written when an object is created and
// never added later, so it says which objects opcat may change and delete.
inline constexpr const char* installer_label = "opcat/installer";
inline constexpr const char* created_for_annotation = "opcat/created-for";
// On roles that also suffice for older releases: the oldest one ("1.5").
inline constexpr const char* rights_for_annotation = "opcat/rights-for";

// Returns true if opcat created the object for this extension.
bool is_created_for(const Object& object, std::string_view extension);

// The kinds of these objects, for one call.
extern const std::string installer_kinds;

// The operations that the rights must suffice for.
struct RightsScope {
    bool account_used = true;   // by the OLM v1 of the cluster
    bool experimental = false;  // its feature set
    bool lists = false;         // the API server does not send the list as the beginning of a watch
    bool checks_owners = false; // setting an owner requires the right to block its deletion, as on OpenShift
    // The oldest release to support; nothing: the cluster's, which is a current one.
    std::optional<unsigned> oldest = std::nullopt;

    bool needed() const { return account_used || (oldest && *oldest < olmv1::first_without_account); }
    bool includes(unsigned release) const { return oldest && *oldest <= release; }
};

// Throws KubectlError.
RightsScope rights_scope(const Kubectl& kubectl, const Served& served, std::optional<unsigned> oldest);

struct InstallerSpec {
    std::string extension;
    std::string ns;
    std::string service_account;
    RightsScope scope = {};
    // Leaves out the rights for upgrades and for deletion of the extension, and those that the bundles' roles
    // grant.
    bool only_to_install = false;
};

// The ServiceAccount itself.
Object installer_account(const InstallerSpec& installer);

// All rights.
std::vector<Object> cluster_admin_binding(const InstallerSpec& installer);

// The minimal rights for installing the first of these bundles, upgrading to each next one and keeping the
// last one installed, by the objects' names wherever Kubernetes allows it. `bundles`: the objects of each
// (registry_v1.hpp).
std::vector<Object> derived_rights(const InstallerSpec& installer,
                                   const std::vector<std::vector<Object>>& bundles);

} // namespace opcat::cluster
