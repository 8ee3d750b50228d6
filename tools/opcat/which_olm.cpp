#include "which_olm.hpp"

#include "base/error.hpp"
#include "cluster/kubectl_error.hpp"
#include "cluster/package_manifests.hpp"
#include "cluster/resources.hpp"
#include "cluster/snapshot.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace opcat {

using namespace cluster;

namespace {

// What may not be seen is not there, as far as this user is concerned.
bool seen(const std::function<bool()>& look) {
    try {
        return look();
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        return false;
    }
}

struct InstalledIn {
    bool classic = false;
    bool v1 = false;
};

InstalledIn installed(const Connection& connection, const std::string& package) {
    require_name("packages", package);
    const Kubectl& kubectl = connection.kubectl;
    return {.classic = seen([&] {
                const std::vector<Json> all = kubectl.list(resource::subscriptions, Scope::in(connection.ns));
                return std::any_of(all.begin(), all.end(), [&](const Json& subscription) {
                    return text(subscription, {"spec", "name"}) == package;
                });
            }),
            .v1 = seen([&] { return find_extension(kubectl, package).has_value(); })};
}

bool is_open(const Connection& connection, const ClusterFlags& flags) {
    return connection.served.classic && connection.served.v1 && !flags.wanted_olm();
}

// Where OLM classic has the package, and which catalogs OLM v1 has: what these hold is not told before they
// are pulled.
std::string catalogs_with(const Connection& connection, const std::string& package) {
    std::string classic;
    seen([&] {
        for (const PackageManifest& manifest : list_packages(connection.kubectl, connection.ns))
            if (manifest.package == package)
                classic += fmt::format("{}{}/{}", classic.empty() ? "" : ", ", manifest.catalog_ns,
                                       manifest.catalog);
        return true;
    });
    return fmt::format(
        "--olm classic: {} {}; --olm v1: opcat search {} --olm v1 tells which catalogs have it",
        classic.empty() ? "no catalog has" : classic + " has", package, package);
}

} // namespace

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

Olm olm_for_install(const Connection& connection, const ClusterFlags& flags, const std::string& package) {
    if (!is_open(connection, flags)) return choose(connection.served, flags.wanted_olm());
    const InstalledIn there = installed(connection, package);
    if (there.classic != there.v1) return there.classic ? Olm::classic : Olm::v1;
    throw UsageError("the cluster has both OLM classic and OLM v1", catalogs_with(connection, package));
}

Olm olm_of_installed(const Connection& connection, const ClusterFlags& flags, const std::string& package) {
    if (!is_open(connection, flags)) return choose(connection.served, flags.wanted_olm());
    const InstalledIn there = installed(connection, package);
    if (there.classic != there.v1) return there.classic ? Olm::classic : Olm::v1;
    if (there.classic)
        throw UsageError(fmt::format("{} is installed by both OLM classic and OLM v1", package),
                         "say which one is meant: --olm classic or --olm v1");
    throw UsageError(fmt::format("{} is installed neither by OLM classic in namespace {} nor by OLM v1",
                                 package, connection.ns),
                     "choose the namespace with -n; opcat status lists what is installed");
}

} // namespace opcat
