#include "opcat/base/listed.hpp"
#include "opcat/cluster/classic_install.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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
        const std::string asked(subscription.text("spec", "channel"));
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

// Finds what changes in the Subscription. Sets the obstacle if the namespace does not see the catalog.
void find_move(const ClassicUpgradeRequest& request, const Object& subscription,
               const ClassicObjects& objects, ClassicUpgradePlan& plan) {
    if (request.channel != subscription.text("spec", "channel")) plan.move.channel = request.channel;
    if (request.catalog.empty()) return;
    const std::string& ns = subscription.ns;
    const size_t slash = request.catalog.find('/');
    const std::string name = request.catalog.substr(slash == std::string::npos ? 0 : slash + 1);
    require_name("catalogs", name);
    std::string catalog_ns = request.catalog.substr(0, slash == std::string::npos ? 0 : slash);
    if (catalog_ns.empty())
        catalog_ns = objects.catalog(name, ns) || objects.global_ns.empty() ? ns : objects.global_ns;
    require_namespace(catalog_ns);
    const bool may_be_unseen = !objects.all_catalogs && catalog_ns != ns;
    if (!objects.catalog(name, catalog_ns) && !may_be_unseen) {
        plan.obstacle = {.message = fmt::format("CatalogSource {}/{} does not exist", catalog_ns, name),
                         .help = {},
                         .remedy = Remedy::add_catalog};
    } else if (catalog_ns != ns && !objects.global_ns.empty() && catalog_ns != objects.global_ns) {
        plan.obstacle = {
            .message = fmt::format("namespace {} does not see CatalogSource {}/{}", ns, catalog_ns, name),
            .help = "add the catalog in the operator's namespace, or where all namespaces see it"};
    }
    if (name == subscription.text("spec", "source") &&
        catalog_ns == subscription.text("spec", "sourceNamespace"))
        return;
    plan.move.catalog = name;
    plan.move.catalog_ns = catalog_ns;
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

// Checks that OLM comes to the target, and can stop there.
void check_target(ClassicUpgradePlan& plan) {
    ClassicPrediction& prediction = plan.prediction;
    const std::string& installed = plan.before.installed;
    if (plan.target.empty() || plan.target == installed || !prediction.possible) return;
    const std::vector<std::string>& path = prediction.path;
    if (std::find(path.begin(), path.end(), plan.target) != path.end()) return;
    constexpr size_t most = 10;
    prediction.error = path.empty() ? fmt::format("no upgrade leads from {} to {}", installed, plan.target)
                                    : fmt::format("the upgrade path from {} jumps over {}: it is {}",
                                                  installed, plan.target, listed(path, most));
}

// Why OLM stays at the installed version, if that is not because it is the latest.
void note_no_upgrade(std::string_view channel, const std::string& catalog, ClassicUpgradePlan& plan) {
    ClassicPrediction& prediction = plan.prediction;
    if (!prediction.possible || !prediction.path.empty() || plan.before.installed.empty()) return;
    const std::string& installed = plan.before.installed;
    if (!prediction.installed_in_catalog)
        plan.no_upgrade =
            fmt::format("{} is not in catalog {}, and nothing there replaces or skips it: it has no "
                        "upgrade",
                        installed, catalog);
    else if (!prediction.installed_in_channel)
        plan.no_upgrade =
            fmt::format("channel {} of catalog {} does not have {}, and nothing in it replaces or "
                        "skips that: it stays until the channel has an upgrade from it",
                        channel, catalog, installed);
    if (!plan.no_upgrade.empty()) {
        std::vector<std::string>& words = prediction.error.empty() ? prediction.remarks : prediction.because;
        words.push_back(plan.no_upgrade);
    }
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
    plan.subscription = subscription;
    plan.before = state_of_subscription(objects, subscription);
    for (const Object* other : objects.subscriptions_of(request.package, ns))
        if (other->name != subscription.name)
            plan.others.push_back(
                fmt::format("{} is for the same package{}: OLM resolves both, or neither", other->describe(),
                            other->text("spec", "channel").empty()
                                ? std::string()
                                : fmt::format(" (channel {})", other->text("spec", "channel"))));
    find_move(request, subscription, objects, plan);
    if (plan.obstacle) return plan;
    Object changed = moved(subscription, plan.move);
    if (!request.to.empty()) find_target(request, changed, kubectl, plan);
    if (plan.obstacle) return plan;
    plan.done = !plan.move.any() && plan.before.stale_resolution.empty() &&
                (plan.before.health == Health::ready || plan.before.health == Health::waits) &&
                !plan.target.empty() && plan.before.installed == plan.target;
    if (plan.done) return plan;
    const auto predict = [&](const Object& wanted, const std::string& approved_to) {
        return predict_classic(
            {objects, ns, request.package, {wanted}, request.inputs, server_version, approved_to, &kubectl},
            access);
    };
    // Waiting plans on the way to a target will be approved.
    if (!plan.target.empty()) changed = as_installed(changed);
    // Without a target the one that waits will be, if it is what OLM would still choose.
    const bool waits = plan.target.empty() && plan.before.health == Health::waits;
    bool is_chosen_still = false;
    if (waits) {
        plan.prediction = predict(as_installed(changed), plan.before.next);
        const std::vector<std::string>& path = plan.prediction.path;
        is_chosen_still = !path.empty() && path.front() == plan.before.next;
    }
    if (!is_chosen_still) plan.prediction = predict(changed, plan.target);
    const std::string catalog =
        fmt::format("{}/{}", changed.text("spec", "sourceNamespace"), changed.text("spec", "source"));
    if (plan.prediction.error.empty()) {
        check_target(plan);
        note_no_upgrade(changed.text("spec", "channel"), catalog, plan);
    }
    std::vector<std::string>& lines = plan.prediction.plan;
    if (plan.prediction.error.empty() && plan.before.health == Health::waits && plan.target.empty()) {
        if (lines.empty()) lines.push_back("upgrade to " + plan.before.next);
        lines.front() += fmt::format(" once InstallPlan {} is approved", plan.before.plan);
    }
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
