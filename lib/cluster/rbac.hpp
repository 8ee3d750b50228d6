// The rights that OLM v1 needs to install a bundle: those of the account that a ClusterExtension names
// (../shared/design/cluster.md, section 3.8).
#pragma once

#include "cluster/json.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// The label of what opcat makes so that OLM v1 may install; its value is the extension's name.
inline constexpr const char* installer_label = "opcat/installer";

// The kinds of these objects, for one call.
extern const std::string installer_kinds;

struct InstallerSpec {
    std::string extension;
    std::string ns;
    std::string service_account;
};

// The ServiceAccount itself.
Json installer_account(const InstallerSpec& installer);

// Everything that is allowed.
std::vector<Json> cluster_admin_binding(const InstallerSpec& installer);

// The least that installing, upgrading among and removing of these bundles needs. `rendered`: the objects of
// all of them (registry_v1.hpp).
std::vector<Json> derived_rights(const InstallerSpec& installer, const std::vector<Json>& rendered);

} // namespace opcat::cluster
