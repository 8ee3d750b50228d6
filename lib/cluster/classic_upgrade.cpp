#include "opcat/cluster/classic_install.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace opcat::cluster {
namespace {

// The Subscription's package in its catalog; nothing if the package server does not report it.
std::optional<PackageManifest> manifest_of(const Object& subscription, const Kubectl& kubectl) {
    try {
        for (PackageManifest& manifest :
             packages_named(kubectl, subscription.ns, std::string(subscription.text("spec", "name"))))
            if (manifest.package == subscription.text("spec", "name") &&
                manifest.catalog == subscription.text("spec", "source") &&
                manifest.catalog_ns == subscription.text("spec", "sourceNamespace"))
                return std::move(manifest);
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): names are then guessed
    }
    return std::nullopt;
}

// Finds the target CSV from the cluster's objects; else the usual name.
void find_target(const ClassicUpgradeRequest& request, const Object& subscription, const Kubectl& kubectl,
                 ClassicUpgradePlan& plan) {
    const OperatorState& before = plan.before;
    if (request.to == before.version || request.to == before.installed) {
        plan.target = before.installed;
        plan.version = before.version;
        return;
    }
    const std::optional<PackageManifest> manifest = manifest_of(subscription, kubectl);
    const PackageEntry* const entry = manifest ? manifest->entry(request.to) : nullptr;
    // The user may have named the bundle.
    plan.version = entry ? entry->version : request.to;
    const auto wanted = semver::Version::parse(plan.version);
    const auto installed = semver::Version::parse(before.version);
    if (wanted && installed && *wanted < *installed) {
        plan.obstacle = {
            .message = fmt::format("{} is installed, and OLM classic cannot return to the lower version {}",
                                   before.installed, request.to),
            .help = request.to,
            .remedy = Remedy::reinstall};
    } else if (entry) {
        plan.target = entry->name;
    } else if (manifest && manifest->tells_entries()) {
        const std::string asked(request.channel.empty() ? subscription.text("spec", "channel")
                                                        : request.channel);
        const PackageChannel* const channel =
            manifest->channel(asked.empty() ? manifest->default_channel : asked);
        plan.obstacle = {
            .message = fmt::format("catalog {}/{} has no version {} of {}", manifest->catalog_ns,
                                   manifest->catalog, request.to, request.package),
            .help = channel ? fmt::format("channel {} has {}", channel->name, channel->versions()) : ""};
    } else {
        plan.target = usual_csv_name(request.package, request.to);
    }
}

// A Subscription without what its next InstallPlan would bring.
Object as_installed(const Object& subscription) {
    Json status = json_of(subscription.at("status").value());
    if (!status.is_object() || !status.contains("installedCSV")) return subscription;
    status["currentCSV"] = status["installedCSV"];
    status["state"] = "AtLatestKnown";
    status.erase("installPlanRef");
    status.erase("installplan");
    return with_status(subscription, object_of(status));
}

} // namespace

ClassicUpgradePlan plan_classic_upgrade(const Kubectl& kubectl, const std::string& ns,
                                        const ClassicUpgradeRequest& request, const CatalogAccess& access) {
    ClassicObjects objects;
    std::vector<Object> pods;
    std::string server_version;
    kubectl.together({[&] { require_usable_namespace(kubectl, ns); },
                      [&] { objects = read_classic(kubectl, ns); }, [&] { pods = catalog_pods(kubectl, ns); },
                      [&] { server_version = kubectl.server_version(); }});
    objects.add(std::move(pods));
    const Object& subscription = require_subscription(objects, request.package, ns);
    ClassicUpgradePlan plan;
    plan.before = state_of_subscription(objects, subscription);
    if (!request.to.empty()) find_target(request, subscription, kubectl, plan);
    if (plan.obstacle) return plan;
    if (request.channel != subscription.text("spec", "channel")) plan.channel = request.channel;
    plan.done = plan.channel.empty() && plan.before.health == Health::ready && !plan.target.empty() &&
                plan.before.installed == plan.target;
    if (plan.done) return plan;
    Object changed = plan.channel.empty() ? subscription : with_channel(subscription, plan.channel);
    // Waiting plans on the way to a target will be approved.
    if (!plan.target.empty()) changed = as_installed(changed);
    plan.prediction = predict_classic(
        {objects, ns, request.package, {changed}, request.inputs, server_version, plan.target, &kubectl},
        access);
    // An existing plan is not predicted: it waits.
    if (plan.prediction.error.empty() && plan.prediction.plan.empty() && plan.before.health == Health::waits)
        plan.prediction.plan.push_back(
            fmt::format("upgrade to {} once InstallPlan {} is approved", plan.before.next, plan.before.plan));
    if (const Object* const latest = latest_plan(objects, subscription);
        latest && waits_for_approval(*latest))
        plan.waiting = *latest;
    return plan;
}

const Object& require_subscription(const ClassicObjects& objects, const std::string& package,
                                   const std::string& ns) {
    if (const Object* const subscription = objects.subscription_of(package, ns)) return *subscription;
    throw OpenRequest({.message = fmt::format("namespace {} has no Subscription for {}", ns, package),
                       .remedy = Remedy::choose_namespace});
}

} // namespace opcat::cluster
