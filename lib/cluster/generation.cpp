#include "cluster/generation.hpp"

namespace opcat::cluster {

std::string_view to_string(Olm olm) {
    switch (olm) {
    case Olm::classic:
        return "classic";
    case Olm::v1:
        return "v1";
    case Olm::none:
        return "none";
    }
    return {};
}

Served Served::of(const std::set<std::string>& groups) {
    return {.classic = groups.contains("operators.coreos.com"),
            .packages = groups.contains("packages.operators.coreos.com"),
            .v1 = groups.contains("olm.operatorframework.io"),
            .cert_manager = groups.contains("cert-manager.io")};
}

} // namespace opcat::cluster
