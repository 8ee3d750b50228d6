#include "opcat/cluster/offline_install.hpp"

#include "opcat/cluster/installer_rights.hpp"

#include <algorithm>

namespace opcat::cluster {

bool supports_mode(std::span<const std::string> install_modes, std::string_view mode) {
    return install_modes.empty() ||
           std::find(install_modes.begin(), install_modes.end(), mode) != install_modes.end();
}

std::vector<std::string> default_targets(const std::string& ns, std::span<const std::string> install_modes) {
    if (supports_mode(install_modes, "OwnNamespace")) return {ns};
    return {};
}

std::vector<Object> subscription_with_group(const SubscriptionSpec& wanted,
                                            std::span<const std::string> install_modes) {
    return {namespace_object(wanted.ns),
            operator_group(wanted.ns, wanted.ns, default_targets(wanted.ns, install_modes)),
            subscription_object(wanted)};
}

std::string installer_name(const std::string& extension) {
    return extension + "-installer";
}

std::vector<Object> extension_with_account(const ExtensionSpec& wanted) {
    return {namespace_object(wanted.ns),
            installer_account(
                {.extension = wanted.name, .ns = wanted.ns, .service_account = wanted.service_account}),
            cluster_extension(wanted)};
}

} // namespace opcat::cluster
