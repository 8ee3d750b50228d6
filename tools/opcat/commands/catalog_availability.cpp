#include "commands/catalog.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/kube/labels.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

using namespace cluster;

namespace {

constexpr const char* available_mode = "Available";
constexpr const char* unavailable_mode = "Unavailable";

bool is_available(const Object& catalog) {
    return catalog.text("spec", "availabilityMode") != unavailable_mode;
}

// Returns what it means for the extensions that select the catalog, one sentence for each, and for packages
// that other catalogs have, too.
std::vector<std::string> consequences(const Object& catalog, bool available,
                                      const std::vector<Object>& catalogs,
                                      const std::vector<Object>& extensions) {
    std::vector<std::string> sentences;
    for (const Object& extension : extensions) {
        const Fields selector = extension.at("spec", "source", "catalog", "selector");
        const auto selects = [&](const Object& one) { return !selector || kube::selects(selector, one); };
        if (!selects(catalog)) continue;
        std::vector<std::string> others;
        for (const Object& other : catalogs)
            if (other.name != catalog.name && is_available(other) && selects(other))
                others.push_back(other.name);
        const std::string who = extension.describe();
        if (available)
            sentences.push_back(fmt::format("{} can be upgraded from it", who));
        else if (others.empty())
            sentences.push_back(fmt::format("{} selects no other catalog: it runs on and gets no upgrades, "
                                            "and OLM reports that it finds no bundles",
                                            who));
        else
            sentences.push_back(fmt::format("{} is resolved from {} alone", who, listed(others)));
    }
    std::vector<std::string> equals;
    const int64_t priority = catalog.number("spec", "priority");
    for (const Object& other : catalogs)
        if (available && other.name != catalog.name && is_available(other) &&
            other.number("spec", "priority") == priority)
            equals.push_back(other.name);
    if (!equals.empty())
        sentences.push_back(fmt::format("it has the priority of {} ({}): of a package that both have, OLM v1 "
                                        "installs neither unless the extension names a catalog",
                                        listed(equals), priority));
    return sentences;
}

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
    std::vector<Object> catalogs;
    std::vector<Object> extensions;
    kubectl.together({[&] { catalogs = kubectl.list(resource::cluster_catalogs); },
                      [&] {
                          try {
                              extensions = kubectl.list(resource::cluster_extensions);
                          } catch (const KubectlError& error) {
                              if (error.kind() != FailureKind::forbidden) throw;
                              session.print_warning(
                                  fmt::format("{}: others may install from the catalog", error.what()));
                          }
                      }});
    session.print(available ? fmt::format("catalogd will read {} again and serve it\n",
                                          catalog.text("spec", "source", "image", "ref"))
                            : fmt::format("{} will not be served, and its content is deleted from the "
                                          "cluster\n",
                                          catalog.describe()));
    const std::vector<std::string> sentences = consequences(catalog, available, catalogs, extensions);
    for (const std::string& sentence : sentences) session.print("  " + sentence + "\n");
    if (options.flow.dry_run) return;
    if (!available && !sentences.empty() && !options.flow.yes &&
        !agreed(session, "disabling a catalog that is in use"))
        return;
    kubectl.patch(resource::cluster_catalogs, catalog.name, Scope::cluster(),
                  object_of({{"spec", {{"availabilityMode", mode}}}}).value());
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
