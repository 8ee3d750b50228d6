#include "classic_flow.hpp"
#include "classic_prediction.hpp"
#include "cluster/package_manifests.hpp"
#include "cluster/resources.hpp"
#include "semver/version.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "upgrade.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

using namespace cluster;

namespace {

// The bundle's name of a version, as far as anything on the cluster tells it; else the usual one.
std::string csv_of_version(const UpgradeOptions& options, const ClassicObjects& objects,
                           const Json& subscription, const Kubectl& kubectl) {
    const std::string ns = namespace_of(subscription);
    for (const Json& csv : objects.csvs)
        if (name_of(csv) == options.to) return options.to;
    const OperatorState state = state_of_subscription(objects, subscription);
    if (state.version == options.to) return state.installed;
    try {
        for (const Json& object : kubectl.list(resource::package_manifests, Scope::in(ns))) {
            const PackageManifest manifest = read_package_manifest(object);
            if (manifest.package != options.package ||
                manifest.catalog != text(subscription, {"spec", "source"}))
                continue;
            for (const PackageChannel& channel : manifest.channels)
                for (const PackageEntry& entry : channel.entries)
                    if (entry.version == options.to || entry.name == options.to) return entry.name;
        }
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): the name is then guessed
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
    if (!options.to.empty()) target = csv_of_version(options, objects, subscription, kubectl);
    const std::string channel = channel_patch(options, subscription);
    if (channel.empty() && before.health == Health::ready && !target.empty() && before.installed == target) {
        session.print(fmt::format("{} is installed and ready already, nothing was changed\n", target));
        return;
    }

    Json changed = subscription;
    if (!channel.empty()) changed["spec"]["channel"] = channel;
    const ClassicSituation situation = classic_situation(objects, connection.ns, {changed}, session);
    ClassicPrediction prediction = predict_classic(situation, options.package, options.images, session);
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
            approve_plan(kubectl, *plan, options.flow, session);
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
                                          .approve = true,
                                          .one_step = options.to.empty()},
                                         options.flow, session);
}

} // namespace opcat
