#include "opcat/cluster/plain_set.hpp"

#include "opcat/cluster/kubectl.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat::cluster {

namespace {

// What bundles may hold, and every cluster serves: one call.
const std::string usual_kinds =
    fmt::format("{},{},{},{},{},{},{},{},{},services,configmaps,secrets,priorityclasses.scheduling.k8s.io,"
                "poddisruptionbudgets.policy,networkpolicies.networking.k8s.io",
                resource::deployments, resource::service_accounts, resource::cluster_roles,
                resource::cluster_role_bindings, resource::roles, resource::role_bindings, resource::crds,
                resource::validating_webhooks, resource::mutating_webhooks);

// What bundles may hold besides, where the cluster serves it.
constexpr const char* further_kinds[] = {
    "issuers.cert-manager.io",
    "certificates.cert-manager.io",
    "servicemonitors.monitoring.coreos.com",
    "prometheusrules.monitoring.coreos.com",
    "verticalpodautoscalers.autoscaling.k8s.io",
    "consoleyamlsamples.console.openshift.io",
    "consolequickstarts.console.openshift.io",
    "consoleclidownloads.console.openshift.io",
    "consolelinks.console.openshift.io",
};

} // namespace

std::vector<Object> objects_of_set(const Kubectl& kubectl, const std::string& set) {
    const std::string selector = std::string(set_label) + "=" + set;
    std::vector<Object> objects = kubectl.list(usual_kinds, Scope::everywhere(), selector);
    // Without any of the usual ones it is no set.
    if (objects.empty()) return objects;
    for (const char* kind : further_kinds)
        for (Object& object : kubectl.list(kind, Scope::everywhere(), selector))
            objects.push_back(std::move(object));
    return objects;
}

std::vector<OperatorState> states_of_sets(const std::vector<Object>& deployments) {
    using namespace std::chrono_literals;
    std::map<std::string, OperatorState> sets;
    for (const Object& deployment : deployments) {
        const std::string name(deployment.label(set_label));
        const auto [at, fresh] = sets.try_emplace(name);
        OperatorState& state = at->second;
        if (fresh) {
            state.olm = Olm::none;
            state.name = name;
            state.ns = deployment.ns;
            state.package = deployment.text("metadata", "annotations", set_package_annotation);
            state.installed = deployment.text("metadata", "annotations", set_bundle_annotation);
            state.version = deployment.text("metadata", "annotations", set_version_annotation);
            state.health = Health::ready;
            state.running = true;
            state.hold = 2s;
        }
        const Availability availability = availability_of(deployment);
        if (availability.available) continue;
        state.health = Health::working;
        state.running = false;
        state.stage = "waiting for " + availability.words;
    }
    std::vector<OperatorState> states;
    states.reserve(sets.size());
    for (auto& [name, state] : sets) states.push_back(std::move(state));
    return states;
}

} // namespace opcat::cluster
