#include "base/error.hpp"
#include "cluster/package_manifests.hpp"
#include "cluster/resources.hpp"
#include "cluster/snapshot.hpp"
#include "cluster_flow.hpp"
#include "semver/version.hpp"
#include "terminal/session.hpp"
#include "upgrade.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace opcat {

using namespace cluster;

namespace {

// The Subscription's package in its catalog; nothing if the package server does not tell.
std::optional<PackageManifest> manifest_of(const Json& subscription, const Kubectl& kubectl) {
    try {
        for (PackageManifest& manifest : list_packages(kubectl, namespace_of(subscription)))
            if (manifest.package == text(subscription, {"spec", "name"}) &&
                manifest.catalog == text(subscription, {"spec", "source"}) &&
                manifest.catalog_ns == text(subscription, {"spec", "sourceNamespace"}))
                return std::move(manifest);
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): names are then guessed
    }
    return std::nullopt;
}

// The name of the bundle to end at, as far as anything on the cluster tells it; else the usual one. Nothing
// if OLM has no way there, which is said.
std::optional<std::string> target_of(const UpgradeOptions& options, const ClassicObjects& objects,
                                     const Json& subscription, const Kubectl& kubectl,
                                     const Session& session) {
    const OperatorState state = state_of_subscription(objects, subscription);
    if (options.to == state.version || options.to == state.installed) return state.installed;
    const std::optional<PackageManifest> manifest = manifest_of(subscription, kubectl);
    const PackageEntry* const entry = manifest ? manifest->entry(options.to) : nullptr;
    const auto wanted = semver::Version::parse(entry ? entry->version : options.to);
    const auto installed = semver::Version::parse(state.version);
    if (wanted && installed && *wanted < *installed) {
        session.print_error(fmt::format("{} is installed, and OLM classic has no way back to {}",
                                        state.installed, options.to),
                            fmt::format("opcat uninstall {0} -n {1}, then opcat install {0} -n {1} "
                                        "--version {2}; custom resources stay",
                                        options.package, namespace_of(subscription), options.to));
        return std::nullopt;
    }
    if (entry) return entry->name;
    if (manifest && manifest->tells_entries()) {
        const std::string asked =
            options.channels.empty() ? text(subscription, {"spec", "channel"}) : options.channels.front();
        const PackageChannel* const channel =
            manifest->channel(asked.empty() ? manifest->default_channel : asked);
        session.print_error(fmt::format("catalog {}/{} has no version {} of {}", manifest->catalog_ns,
                                        manifest->catalog, options.to, options.package),
                            channel ? fmt::format("channel {} has {}", channel->name, channel->versions())
                                    : "");
        return std::nullopt;
    }
    const bool is_version = options.to.find_first_not_of("0123456789.-+") == std::string::npos;
    return is_version ? options.package + ".v" + options.to : options.to;
}

std::string channel_patch(const UpgradeOptions& options, const Json& subscription) {
    if (options.channels.empty()) return {};
    if (options.channels.size() > 1)
        throw UsageError("OLM classic takes one channel, and there are several --channel");
    return options.channels[0] == text(subscription, {"spec", "channel"}) ? std::string()
                                                                          : options.channels[0];
}

} // namespace

void upgrade_classic(const UpgradeOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    require_usable_namespace(kubectl, connection.ns);
    const ClassicObjects objects = read_classic(kubectl, connection.ns);
    const Json& subscription = require_subscription(objects, options.package, connection.ns);
    const OperatorState before = state_of_subscription(objects, subscription);
    std::string target;
    if (!options.to.empty()) {
        const std::optional<std::string> found = target_of(options, objects, subscription, kubectl, session);
        if (!found) {
            session.exit_status = exit_findings;
            return;
        }
        target = *found;
    }
    const std::string channel = channel_patch(options, subscription);
    if (channel.empty() && before.health == Health::ready && !target.empty() && before.installed == target) {
        session.print(fmt::format("{} is installed and ready already, nothing was changed\n", target));
        return;
    }

    Json changed = subscription;
    if (!channel.empty()) changed["spec"]["channel"] = channel;
    ClassicPrediction prediction = predict_classic({objects, connection.ns, options.package, {changed}},
                                                   catalog_access(options.images, session));
    // A plan that was made already is not foretold: it waits.
    if (prediction.error.empty() && prediction.plan.empty() && before.health == Health::waits)
        prediction.plan.push_back(
            fmt::format("upgrade to {} once InstallPlan {} is approved", before.next, before.plan));
    print(prediction, session);
    if (!prediction.error.empty() && !options.flow.force) {
        session.print("nothing was changed; --force goes on nevertheless\n");
        session.exit_status = exit_findings;
        return;
    }
    if (!target.empty() && !before.manual)
        session.print_warning(fmt::format(
            "upgrades of {} are approved automatically: OLM may go on beyond {}", options.package, target));
    if (options.flow.dry_run) {
        if (!channel.empty())
            session.print(fmt::format("Subscription {}/{} would get channel {}\n", connection.ns, before.name,
                                      channel));
        if (const Json* const plan = latest_plan(objects, subscription); plan && waits_for_approval(*plan))
            may_approve(content_of_plan(*plan), options.flow, session);
        return;
    }
    if (!channel.empty()) {
        kubectl.patch(resource::subscriptions, before.name, Scope::in(connection.ns),
                      {{"spec", {{"channel", channel}}}});
        session.print(
            fmt::format("changed Subscription {}/{}: channel {}\n", connection.ns, before.name, channel));
    } else if (before.health == Health::ready && target.empty()) {
        session.print(fmt::format("{} is at the latest version that OLM knows, nothing was changed\n",
                                  before.installed));
        return;
    }
    if (options.flow.no_wait) return;
    if (target.empty() && !channel.empty()) target = prediction.target;
    session.exit_status = follow_classic(kubectl,
                                         {.package = options.package,
                                          .ns = connection.ns,
                                          .csv = target,
                                          .version = options.to,
                                          .one_step = options.to.empty()},
                                         true, options.flow, session);
}

} // namespace opcat
