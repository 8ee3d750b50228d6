#include "commands/catalog.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/table.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <utility>

namespace opcat {

using namespace cluster;

namespace {

// `is_changed`: what a CatalogSource says may be about its old pod.
CatalogState look_at(const Kubectl& kubectl, Olm olm, const std::string& ns, const std::string& name,
                     bool is_changed) {
    if (olm == Olm::v1) {
        const auto catalog = kubectl.get(resource::cluster_catalogs, name);
        if (!catalog) throw Error(fmt::format("ClusterCatalog {} is gone", name));
        return state_of_cluster_catalog(*catalog);
    }
    const auto catalog = kubectl.get(resource::catalog_sources, name, Scope::in(ns));
    if (!catalog) throw Error(fmt::format("CatalogSource {}/{} is gone", ns, name));
    std::vector<Object> pods;
    CatalogState state = state_of_catalog_source(*catalog, pods);
    if (state.health == Health::ready && !is_changed) return state;
    try {
        pods = pods_of(kubectl, ns, name);
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): then the catalog's own words must do
    }
    if (state.health != Health::ready) return state_of_catalog_source(*catalog, pods);
    for (const Object& pod : pods)
        if (const std::string trouble = trouble_of_pod(pod); !trouble.empty()) {
            state.health = Health::working;
            state.cause = trouble;
        }
    return state;
}

} // namespace

std::string namespace_for_catalogs(const CatalogOptions& options, const Connection& connection) {
    if (!options.cluster.ns.empty()) return options.cluster.ns;
    const std::string global = global_namespace(
        connection.kubectl, connection.kubectl.list(resource::catalog_sources, Scope::everywhere()));
    if (!global.empty()) return global;
    // The first catalog of all.
    for (const char* usual : classic::usual_global_namespaces)
        if (connection.kubectl.get(resource::namespaces, usual)) return usual;
    return connection.ns;
}

std::vector<Object> pods_of(const Kubectl& kubectl, const std::string& ns, const std::string& name) {
    return kubectl.list(resource::pods, Scope::in(ns), "olm.catalogSource=" + name);
}

Renewed has_new_pod(std::vector<Object> old_pods, const std::string& ns, const std::string& name) {
    return [old_pods = std::move(old_pods), ns, name](const Kubectl& kubectl) {
        const std::vector<Object> now = pods_of(kubectl, ns, name);
        return std::any_of(now.begin(), now.end(), [&](const Object& pod) {
            return !pod.is_terminating() && !kube::find_named(old_pods, pod.name, ns);
        });
    };
}

std::string content_of_pods(const Kubectl& kubectl, const std::string& ns, const std::string& name) {
    const auto catalog = kubectl.get(resource::catalog_sources, name, Scope::in(ns));
    return catalog ? served_digest(*catalog, pods_of(kubectl, ns, name)) : std::string();
}

int follow_catalog(const Kubectl& kubectl, Olm olm, const std::string& ns, const std::string& name,
                   const FlowFlags& flags, Session& session, const Renewed& renewed,
                   const std::string& old_content) {
    const std::string full = ns.empty() ? name : ns + "/" + name;
    say_when_interrupted(
        fmt::format("interrupted while catalog {} was not ready yet; the cluster continues by itself; "
                    "opcat catalog list shows its state",
                    full));
    CatalogState state;
    const Kubectl looking = kubectl.without_patience();
    const WaitOptions wait = flags.wait();
    StateDebouncer debouncer;
    StepDisplay steps(session);
    const bool done = wait_until(
        [&] {
            if (renewed && !renewed(looking)) {
                state.cause = "waiting until OLM has made it again";
                steps.show(fmt::format("catalog {}: {}", full, state.cause));
                return false;
            }
            state = look_at(looking, olm, ns, name, renewed != nullptr);
            steps.show(fmt::format("catalog {}: {}", full, state.cause.empty() ? state.word : state.cause));
            const bool settled =
                debouncer.is_stable(std::string(to_string(state.health)), state.hold, wait.clock.now());
            return settled && state.health != Health::working;
        },
        wait);
    steps.end(done && state.health == Health::ready);
    say_when_interrupted("");
    if (done && state.health == Health::ready) {
        const std::string content =
            olm == Olm::classic && renewed ? content_of_pods(looking, ns, name) : state.digest;
        session.print(fmt::format("catalog {} is ready{}{}\n", full,
                                  content.empty() ? "" : ": it serves " + content,
                                  old_content.empty() || content.empty() ? ""
                                  : old_content == content               ? ", as before"
                                                                         : ", before " + old_content));
        return exit_ok;
    }
    const std::string cause = state.cause.empty() ? state.word : state.cause;
    session.print_error(done ? fmt::format("catalog {} does not get ready: {}", full, for_terminal(cause, 2))
                             : fmt::format("catalog {} was not ready within {}: {}", full, flags.timeout,
                                           for_terminal(cause, 2)));
    if (olm == Olm::classic) {
        for (const std::string& why : diagnose_catalog(kubectl, ns, name))
            if (why != cause) session.print("  because: " + for_terminal(why, 4) + "\n");
        const bool is_global =
            ns == global_namespace(kubectl, kubectl.list(resource::catalog_sources, Scope::in(ns)));
        session.print_warning(fmt::format("while {} is not ready, OLM classic resolves nothing in {}", full,
                                          is_global ? "any namespace" : "namespace " + ns));
    }
    return exit_findings;
}

} // namespace opcat
