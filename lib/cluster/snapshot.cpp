#include "cluster/snapshot.hpp"

#include "cluster/plain_set.hpp"
#include "cluster/resources.hpp"
#include "cluster/v1_state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::cluster {

namespace {

class SnapshotReader {
public:
    SnapshotReader(const Kubectl& kubectl, const Served& served, const Scope& scope)
        : kubectl_(kubectl), scope_(scope) {
        if (served.classic) read_classic();
        if (served.v1) read_v1();
        read_sets();
        read_webhooks();
    }

    ClusterSnapshot snapshot;

private:
    // What is of use but not needed.
    std::vector<Json> try_list(std::string_view resources, const Scope& scope,
                               const std::string& selector = {}) {
        try {
            return kubectl_.list(resources, scope, selector);
        } catch (const KubectlError& error) {
            snapshot.unread.emplace_back(error.what());
            return {};
        }
    }

    void read_classic() {
        ClassicObjects& classic = snapshot.classic;
        classic.add(list_classic(kubectl_, scope_));
        // The catalogs of other namespaces that matter here.
        if (!scope_.ns.empty()) {
            std::vector<Json> elsewhere = try_list(resource::catalog_sources, Scope::everywhere());
            snapshot.global_ns = global_namespace(elsewhere);
            const auto matters = [&](const Json& catalog) {
                const std::string ns = namespace_of(catalog);
                if (ns == scope_.ns) return false; // known
                return ns == snapshot.global_ns ||
                       std::any_of(classic.subscriptions.begin(), classic.subscriptions.end(),
                                   [&](const Json& s) {
                                       return text(s, {"spec", "sourceNamespace"}) == ns &&
                                              text(s, {"spec", "source"}) == name_of(catalog);
                                   });
            };
            std::erase_if(elsewhere, [&](const Json& catalog) { return !matters(catalog); });
            classic.add(std::move(elsewhere));
        } else {
            snapshot.global_ns = global_namespace(classic.catalogs);
        }
        snapshot.operators = classic_states(classic);
        add_pods_of_slow_installs();
        std::vector<Json> pods;
        for (const Json& catalog : classic.catalogs)
            if (state_of_catalog_source(catalog, {}).health != Health::ready)
                for (Json& pod : try_list(resource::pods, Scope::in(namespace_of(catalog)),
                                          "olm.catalogSource=" + name_of(catalog)))
                    pods.push_back(std::move(pod));
        for (const Json& catalog : classic.catalogs)
            snapshot.catalogs.push_back(state_of_catalog_source(catalog, pods));
    }

    // Pods are looked at only where they can tell something.
    void add_pods_of_slow_installs() {
        std::set<std::string> namespaces;
        for (const OperatorState& state : snapshot.operators)
            if (state.health == Health::working && !state.next.empty()) namespaces.insert(state.ns);
        for (const std::string& ns : namespaces)
            snapshot.classic.add(try_list(resource::pods, Scope::in(ns)));
        if (!namespaces.empty()) snapshot.operators = classic_states(snapshot.classic);
    }

    void read_v1() {
        std::vector<Json> extensions = kubectl_.list(resource::cluster_extensions);
        if (!scope_.ns.empty())
            std::erase_if(extensions, [&](const Json& e) {
                return text(e, {"spec", "namespace"}) != scope_.ns;
            });
        const std::vector<Json> deployments = extensions.empty()
                                                  ? std::vector<Json>()
                                                  : try_list(resource::deployments, scope_, owner_name_label);
        std::vector<Json> pods;
        for (const Json& deployment : deployments)
            if (!availability_of(deployment).available)
                for (Json& pod : try_list(resource::pods, Scope::in(namespace_of(deployment))))
                    pods.push_back(std::move(pod));
        for (const Json& extension : extensions)
            snapshot.operators.push_back(state_of_extension(extension, deployments, pods));
        for (const Json& catalog : try_list(resource::cluster_catalogs, Scope::cluster()))
            snapshot.catalogs.push_back(state_of_cluster_catalog(catalog));
    }

    void read_sets() {
        for (OperatorState& state : states_of_sets(try_list(resource::deployments, scope_, set_label)))
            snapshot.operators.push_back(std::move(state));
    }

    void read_webhooks() {
        if (snapshot.operators.empty()) return;
        const std::string kinds =
            fmt::format("{},{}", resource::validating_webhooks, resource::mutating_webhooks);
        for (const Json& webhook : try_list(kinds, Scope::cluster())) {
            const std::string csv = label(webhook, "olm.owner");
            const std::string extension = label(webhook, owner_name_label);
            const std::string set = label(webhook, set_label);
            for (OperatorState& state : snapshot.operators) {
                const bool classic = state.olm == Olm::classic && !csv.empty() && csv == state.installed &&
                                     label(webhook, "olm.owner.namespace") == state.ns;
                const bool v1 = state.olm == Olm::v1 && !extension.empty() && extension == state.name;
                const bool plain = state.olm == Olm::none && !set.empty() && set == state.name;
                if (classic || v1 || plain) state.webhooks.push_back(describe(webhook));
            }
        }
    }

    const Kubectl& kubectl_;
    Scope scope_;
};

} // namespace

std::string usual_global_namespace(const std::set<std::string>& namespaces) {
    for (const char* usual : usual_global_namespaces)
        if (namespaces.contains(usual)) return usual;
    return {};
}

std::string global_namespace(const std::vector<Json>& catalog_sources) {
    std::set<std::string> namespaces;
    for (const Json& catalog : catalog_sources) namespaces.insert(namespace_of(catalog));
    return usual_global_namespace(namespaces);
}

std::vector<CatalogOutage> ClusterSnapshot::outages() const {
    std::vector<CatalogOutage> all;
    for (const CatalogState& catalog : catalogs) {
        if (catalog.health == Health::ready) continue;
        CatalogOutage outage{&catalog, false, {}};
        // OLM classic does not resolve while any catalog that a namespace sees is broken; OLM v1 does not
        // resolve an extension that names no catalog.
        outage.everyone = catalog.olm == Olm::v1 || (!global_ns.empty() && catalog.ns == global_ns);
        for (const OperatorState& state : operators)
            if (state.olm == catalog.olm && (state.catalog == catalog.full_name() ||
                                             (catalog.olm == Olm::classic && state.ns == catalog.ns) ||
                                             (catalog.olm == Olm::v1 && state.catalog.empty())))
                outage.operators.push_back(state.ns + "/" + state.package);
        all.push_back(std::move(outage));
    }
    return all;
}

std::vector<Json> list_classic(const Kubectl& kubectl, const Scope& scope) {
    const std::string kinds =
        fmt::format("{},{},{},{},{},{}", resource::subscriptions, resource::install_plans, resource::csvs,
                    resource::operator_groups, resource::catalog_sources, resource::operator_conditions);
    return kubectl.list(kinds, scope, "!olm.copiedFrom");
}

ClassicObjects read_classic(const Kubectl& kubectl, const std::string& ns) {
    ClassicObjects objects;
    objects.add(list_classic(kubectl, Scope::in(ns)));
    try {
        std::vector<Json> elsewhere = kubectl.list(resource::catalog_sources, Scope::everywhere());
        std::erase_if(elsewhere, [&](const Json& catalog) { return namespace_of(catalog) == ns; });
        objects.add(std::move(elsewhere));
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
    }
    return objects;
}

std::optional<Json> find_extension(const Kubectl& kubectl, const std::string& package) {
    auto named = kubectl.get(resource::cluster_extensions, package);
    if (named && package_of(*named) == package) return named;
    for (Json& extension : kubectl.list(resource::cluster_extensions))
        if (package_of(extension) == package) return std::move(extension);
    return named;
}

ClusterSnapshot read_cluster(const Kubectl& kubectl, const Served& served, const Scope& scope) {
    return SnapshotReader(kubectl, served, scope).snapshot;
}

} // namespace opcat::cluster
