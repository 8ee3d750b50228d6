#include "opcat/cluster/plain_set.hpp"

#include "opcat/cluster/changes.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace opcat::cluster {

namespace {

// The kinds of objects in bundles that every cluster serves: one call.
const std::string usual_kinds =
    fmt::format("{},{},{},{},{},{},{},{},{},services,configmaps,secrets,priorityclasses.scheduling.k8s.io,"
                "poddisruptionbudgets.policy,networkpolicies.networking.k8s.io",
                resource::deployments, resource::service_accounts, resource::cluster_roles,
                resource::cluster_role_bindings, resource::roles, resource::role_bindings, resource::crds,
                resource::validating_webhooks, resource::mutating_webhooks);

// The other kinds, if the cluster serves them.
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
    // Without any of the usual kinds there is no set.
    if (objects.empty()) return objects;
    const std::set<std::string> groups = kubectl.api_groups();
    std::string kinds;
    for (const std::string_view kind : further_kinds)
        if (groups.contains(std::string(kind.substr(kind.find('.') + 1))))
            kinds += fmt::format("{}{}", kinds.empty() ? "" : ",", kind);
    for (Object& object : kubectl.list(kinds, Scope::everywhere(), selector))
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

// ---- installing

namespace {

struct Chosen {
    std::string package;
    BundleContent content;
};

// A bundle itself, or the one that OLM v1 would choose from a catalog.
Chosen choose_bundle(const PlainInstallRequest& wanted, const CatalogAccess& access) {
    if (wanted.catalog.empty()) {
        const LoadedCatalog loaded = access.load(wanted.package);
        if (loaded.catalog.bundles.size() != 1)
            throw OpenRequest({.message = fmt::format("{} is not one bundle", wanted.package),
                               .remedy = Remedy::name_bundle});
        const Bundle& bundle = loaded.catalog.bundles.front();
        return {std::string(bundle.package.text), content_of(bundle, access)};
    }
    LoadedCatalog loaded = access.load(wanted.catalog);
    const olmv1::CatalogIndex index(std::move(loaded.catalog));
    olmv1::NamedCatalog named;
    named.name = "catalog";
    named.index = &index;
    olmv1::Request request;
    request.package = wanted.package;
    request.version = wanted.version;
    request.channels = wanted.channels;
    const olmv1::Resolution resolution = olmv1::resolve(request, std::span(&named, 1));
    if (!resolution.choice) throw Error(fmt::format("cannot choose a bundle: {}", resolution.error));
    return {wanted.package, content_of(*resolution.choice->bundle->bundle, access)};
}

Object with_set_label(const Object& object, const Chosen& chosen) {
    Json json = json_of(object.value());
    json["metadata"]["labels"][set_label] = chosen.package;
    Json& annotations = json["metadata"]["annotations"];
    annotations[set_package_annotation] = chosen.package;
    annotations[set_bundle_annotation] = chosen.content.name();
    annotations[set_version_annotation] = chosen.content.version();
    return object_of(json);
}

} // namespace

PlainInstallPlan plan_plain_install(const Kubectl& kubectl, const std::string& ns,
                                    const PlainInstallRequest& request, const Served& served,
                                    const CatalogAccess& access) {
    const Chosen chosen = choose_bundle(request, access);
    require_name("packages", chosen.package);
    PlainInstallPlan plan{
        .package = chosen.package, .bundle = chosen.content.name(), .definitions = {}, .others = {}};
    if (!require_usable_namespace(kubectl, ns)) plan.definitions.push_back(namespace_object(ns));
    for (const Object& object : render_bundle(
             chosen.content, {.ns = ns, .watch = request.watch, .cert_manager = served.cert_manager}))
        (is_crd(object) ? plan.definitions : plan.others).push_back(with_set_label(object, chosen));
    // Objects of others must not be taken over silently.
    for (const Object& there : kubectl.existing(plan.definitions))
        if (is_crd(there) && there.label(set_label) != chosen.package && !request.take_over)
            throw BlockedChange(
                {.message = fmt::format("{} is there already, and not of this set", there.describe()),
                 .remedy = Remedy::take_over});
    return plan;
}

std::vector<Object> left_over(const Kubectl& kubectl, const PlainInstallPlan& plan) {
    std::vector<Object> objects = objects_of_set(kubectl, plan.package);
    std::erase_if(objects, [&](const Object& object) {
        return is_crd(object) || kube::find_same(plan.others, object) != nullptr;
    });
    return objects;
}

} // namespace opcat::cluster
