#include "cluster/plain_set.hpp"

#include "cluster/resources.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace opcat::cluster {

const std::string set_kinds =
    fmt::format("{},{},{},{},{},{},{},{},{},services,configmaps,secrets,priorityclasses.scheduling.k8s.io,"
                "poddisruptionbudgets.policy,networkpolicies.networking.k8s.io",
                resource::deployments, resource::service_accounts, resource::cluster_roles,
                resource::cluster_role_bindings, resource::roles, resource::role_bindings, resource::crds,
                resource::validating_webhooks, resource::mutating_webhooks);

std::vector<OperatorState> states_of_sets(const std::vector<Json>& deployments) {
    using namespace std::chrono_literals;
    std::map<std::string, OperatorState> sets;
    for (const Json& deployment : deployments) {
        const std::string name = label(deployment, set_label);
        const auto [at, fresh] = sets.try_emplace(name);
        OperatorState& state = at->second;
        if (fresh) {
            state.olm = Olm::none;
            state.name = name;
            state.ns = namespace_of(deployment);
            state.package = text(deployment, {"metadata", "annotations", set_package_annotation});
            state.installed = text(deployment, {"metadata", "annotations", set_bundle_annotation});
            state.version = text(deployment, {"metadata", "annotations", set_version_annotation});
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
