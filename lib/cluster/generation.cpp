#include "cluster/generation.hpp"

#include "support/error.hpp"

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

Olm choose(const Served& served, std::optional<Olm> wanted) {
    if (wanted == Olm::classic && !served.classic)
        throw Error("the cluster has no OLM classic: it does not serve the API group operators.coreos.com",
                    served.v1 ? "it has OLM v1: use --olm v1" : "--olm none installs without OLM");
    if (wanted == Olm::v1 && !served.v1)
        throw Error("the cluster has no OLM v1: it does not serve the API group olm.operatorframework.io",
                    served.classic ? "it has OLM classic: use --olm classic"
                                   : "--olm none installs without OLM");
    if (wanted) return *wanted;
    if (served.classic && served.v1)
        throw UsageError("the cluster has both OLM classic and OLM v1",
                         "say which one is meant: --olm classic or --olm v1");
    if (!served.classic && !served.v1)
        throw Error("the cluster has no OLM: it serves neither the API group operators.coreos.com (OLM "
                    "classic) nor olm.operatorframework.io (OLM v1)",
                    "--olm none installs the bundle's own manifests without OLM");
    return served.classic ? Olm::classic : Olm::v1;
}

Served narrowed(Served served, std::optional<Olm> wanted) {
    if (!wanted) return served;
    choose(served, wanted);
    served.classic = served.classic && wanted == Olm::classic;
    served.v1 = served.v1 && wanted == Olm::v1;
    return served;
}

} // namespace opcat::cluster
