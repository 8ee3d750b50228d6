#include "commands/catalog.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/state.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

using namespace cluster;

namespace {

constexpr const char* available_mode = "Available";

// Returns true if catalogd has stopped serving it.
bool is_withdrawn(const Kubectl& kubectl, const std::string& name) {
    const auto now = kubectl.get(resource::cluster_catalogs, name);
    if (!now) return true;
    const Condition serving = now->condition("Serving");
    return serving.reason == "UserSpecifiedUnavailable" &&
           serving.observed_generation >= now->number("metadata", "generation");
}

} // namespace

void set_availability(const CatalogOptions& options, bool available, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const Kubectl& kubectl = connection.kubectl;
    CatalogOptions of_v1 = options;
    if (connection.served.v1 && !options.cluster.olm && options.cluster.ns.empty())
        of_v1.cluster.olm = Olm::v1;
    std::vector<FoundCatalog> found = find_catalogs(of_v1, connection);
    if (found.empty()) found = find_catalogs(options, connection);
    if (found.empty())
        throw RequestError(fmt::format("catalog {} does not exist", options.name), "opcat catalog list");
    const Object& catalog = found[0].object;
    if (found[0].olm == Olm::classic)
        throw RequestError(fmt::format("{} cannot be {}: only ClusterCatalogs of OLM v1 can",
                                       catalog.describe(), available ? "enabled" : "disabled"),
                           "opcat catalog remove deletes it");
    const char* const mode = available ? available_mode : unavailable_mode;
    if (is_available(catalog) == available) {
        session.print(fmt::format("{} is {} already, nothing was changed\n", catalog.describe(), mode));
        return;
    }
    const Object patch = object_of({{"spec", {{"availabilityMode", mode}}}});
    require_patch(kubectl, catalog, patch, options.flow);
    const CatalogUsers users =
        users_of(found[0], available ? CatalogChange::enabled : CatalogChange::disabled, kubectl, session);
    session.print(available ? fmt::format("catalogd will read {} again and serve it\n",
                                          catalog.text("spec", "source", "image", "ref"))
                            : fmt::format("{} will not be served, and its content is deleted from the "
                                          "cluster\n",
                                          catalog.describe()));
    for (const std::string& sentence : users.sentences) session.print("  " + sentence + "\n");
    if (options.flow.dry_run ||
        !may_change(users, available ? "enabling" : "disabling", options.flow, session))
        return;
    require_same(found[0], kubectl);
    kubectl.patch(resource::cluster_catalogs, catalog.name, Scope::cluster(), patch.value());
    session.print(fmt::format("changed {}: it is {}\n", catalog.describe(), mode));
    if (options.flow.no_wait) return;
    if (available) {
        session.exit_status = follow_catalog(kubectl, Olm::v1, {}, catalog.name, options.flow, session);
        return;
    }
    if (!wait_until([&] { return is_withdrawn(kubectl, catalog.name); }, options.flow.wait()))
        throw Error(
            fmt::format("catalogd has not withdrawn {} within {}", catalog.describe(), options.flow.timeout),
            "opcat catalog list shows its state");
    session.print(fmt::format("{} is not served any more\n", catalog.describe()));
}

} // namespace opcat
