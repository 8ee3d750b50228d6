#include "catalog_options.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/semver/version.hpp"
#include "terminal/session.hpp"

#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

using namespace cluster;

namespace {

struct UpgradeOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    ImageFlags images; // for the cluster's catalogs
    std::string package;
    std::vector<std::string> channels;
    std::string to;
    bool self_certified = false;
};

// ---- OLM classic

// The Subscription's package in its catalog; nothing if the package server does not tell.
std::optional<PackageManifest> manifest_of(const Object& subscription, const Kubectl& kubectl) {
    try {
        for (PackageManifest& manifest : list_packages(kubectl, subscription.ns))
            if (manifest.package == subscription.text("spec", "name") &&
                manifest.catalog == subscription.text("spec", "source") &&
                manifest.catalog_ns == subscription.text("spec", "sourceNamespace"))
                return std::move(manifest);
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): names are then guessed
    }
    return std::nullopt;
}

// The name of the bundle to end at, as far as anything on the cluster tells it; else the usual one. Nothing
// if OLM has no way there, which is said.
std::optional<std::string> target_of(const UpgradeOptions& options, const ClassicObjects& objects,
                                     const Object& subscription, const Kubectl& kubectl,
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
                                        options.package, subscription.ns, options.to));
        return std::nullopt;
    }
    if (entry) return entry->name;
    if (manifest && manifest->tells_entries()) {
        const std::string asked(options.channels.empty() ? subscription.text("spec", "channel")
                                                         : options.channels.front());
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

std::string wanted_channel(const UpgradeOptions& options, const Object& subscription) {
    if (options.channels.empty()) return {};
    if (options.channels.size() > 1)
        throw RequestError("OLM classic takes one channel, and there are several --channel");
    return options.channels[0] == subscription.text("spec", "channel") ? std::string() : options.channels[0];
}

void upgrade_classic(const UpgradeOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    require_usable_namespace(kubectl, connection.ns);
    const ClassicObjects objects = read_classic(kubectl, connection.ns);
    const Object& subscription = require_subscription(objects, options.package, connection.ns);
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
    const std::string channel = wanted_channel(options, subscription);
    if (channel.empty() && before.health == Health::ready && !target.empty() && before.installed == target) {
        session.print(fmt::format("{} is installed and ready already, nothing was changed\n", target));
        return;
    }

    const Object changed = channel.empty() ? subscription : with_channel(subscription, channel);
    ClassicPrediction prediction = predict_classic({objects, connection.ns, options.package, {changed}},
                                                   catalog_access(options.images, session));
    // A plan that was made already is not predicted: it waits.
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
        if (const Object* const plan = latest_plan(objects, subscription); plan && waits_for_approval(*plan))
            may_approve(content_of_plan(*plan), options.flow, session);
        return;
    }
    if (!channel.empty()) {
        kubectl.patch(resource::subscriptions, before.name, Scope::in(connection.ns),
                      channel_patch(channel).value());
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

// ---- OLM v1

const Bundle* installed_bundle(const olmv1::Request& request, const V1Catalogs& catalogs) {
    if (!request.installed) return nullptr;
    for (const olmv1::NamedCatalog& catalog : catalogs.named())
        if (const PackageGraph* const package = catalog.index->find(request.package))
            for (const PackageBundle& bundle : package->bundles)
                if (bundle.name() == request.installed->name) return bundle.bundle;
    return nullptr;
}

// The account that opcat made must hold the rights of the old version and the new one. Whether they have
// changed.
bool renew_rights(const UpgradeOptions& options, const Connection& connection, const Object& extension,
                  const olmv1::Request& request, const V1Catalogs& catalogs, const PredictedPath& path,
                  Session& session) {
    const InstallerSpec wanted{extension.name, std::string(extension.text("spec", "namespace")),
                               std::string(extension.text("spec", "serviceAccount", "name"))};
    if (path.steps.empty() || (request.installed && path.end == request.installed->name)) return false;
    const auto role = connection.kubectl.get(resource::cluster_roles, wanted.extension + "-installer");
    if (!role || role->label(installer_label) != wanted.extension) return false;
    RenderOptions render{.ns = wanted.ns, .watch = {}, .cert_manager = connection.served.cert_manager};
    if (const std::string_view watched = extension.text("spec", "config", "inline", "watchNamespace");
        !watched.empty())
        render.watch = {std::string(watched)};
    std::vector<Object> rendered = render_path(path, catalogs, render);
    if (const Bundle* const before = installed_bundle(request, catalogs)) {
        std::vector<Object> old = render_bundle(catalogs.content_of(*before), render);
        std::move(old.begin(), old.end(), std::back_inserter(rendered));
    }
    ObjectChanges changes(connection.kubectl, derived_rights(wanted, rendered));
    if (options.flow.only_shows()) {
        show(changes, options.flow, session);
        return false;
    }
    apply(changes, options.flow, session);
    return changes.any();
}

void upgrade_v1(const UpgradeOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    require_name("packages", options.package);
    const auto extension = find_extension(kubectl, options.package);
    if (!extension)
        throw RequestError(fmt::format("{} is not installed with OLM v1", options.package),
                           "opcat status lists what is installed");
    const std::string name = extension->name;
    const std::string catalog(extension->text("spec", "source", "catalog", "selector", "matchLabels",
                                              "olm.operatorframework.io/metadata.name"));
    olmv1::Request request;
    request.package = package_of(*extension);
    request.version = options.to;
    request.channels = options.channels.empty() ? extension->strings("spec", "source", "catalog", "channels")
                                                : options.channels;
    if (options.self_certified ||
        extension->text("spec", "source", "catalog", "upgradeConstraintPolicy") == "SelfCertified")
        request.policy = olmv1::Policy::self_certified;
    request.installed = installed_of(*extension);
    const V1Catalogs catalogs(kubectl, catalog, catalog_access(options.images, session));
    const V1Prediction prediction = predict_v1(kubectl, name, request, catalogs);
    if (!print_and_go_on(prediction, request, catalogs, options.flow, session)) return;
    const bool other_rights =
        renew_rights(options, connection, *extension, request, catalogs, prediction.path, session);

    ExtensionSpec wanted{.name = name,
                         .package = request.package,
                         .ns = {},
                         .service_account = {},
                         .version = options.to,
                         .channels = options.channels,
                         .self_certified = options.self_certified};
    const Object patch = extension_source_patch(wanted);
    if (options.flow.dry_run) {
        session.print(
            fmt::format("ClusterExtension {} would be changed by {}\n", name, kube::to_text(patch.value())));
        return;
    }
    if (kube::satisfies(extension->value(), patch.value())) {
        session.print(fmt::format("ClusterExtension {} asks for this already{}\n", name,
                                  other_rights ? "" : ", nothing was changed"));
        if (other_rights) retry_now(kubectl, name);
    } else {
        kubectl.patch(resource::cluster_extensions, name, Scope::cluster(), patch.value());
        session.print(fmt::format("changed ClusterExtension {}\n", name));
    }
    if (options.flow.no_wait) return;
    session.exit_status = follow_v1(kubectl, name, prediction.path.end, options.flow, session);
}

} // namespace

void add_upgrade(Command tree, Session& session) {
    const Command command = tree.add_command("upgrade", "Upgrade an operator");
    const auto options = std::make_shared<UpgradeOptions>();
    command.add_option("PACKAGE", options->package, "The operator's package").required();
    command.add_option("--to", options->to,
                       "The version to end at, or its bundle's name; with OLM v1 a range of versions");
    command.add_option("--channel", options->channels, "Go to this channel; several only with OLM v1");
    command.add_flag("--self-certified", options->self_certified,
                     "OLM v1: allow any version, whatever the catalog's upgrade edges say");
    add_cluster_flags(command, options->cluster);
    add_flow_flags(command, options->flow);
    add_image_flags(command, options->images);
    command.add_flag("--force", options->flow.force, "Go on although it is predicted to fail");
    command.footer("With OLM classic, upgrades that wait for approval are approved: with --to one after the "
                   "other up to that "
                   "version,\nelse the one that waits. There is no way back to a lower version.\n\n"
                   "Examples:\n"
                   "  opcat upgrade prometheus -n monitoring --to 0.56.3\n"
                   "  opcat upgrade prometheus -n monitoring --channel stable --dry-run\n"
                   "  opcat upgrade argocd-operator --olm v1 --to '>=0.9.0 <0.10.0'");
    command.callback([options, &session] {
        const Connection connection = connect(options->cluster);
        switch (olm_of_installed(connection, options->cluster, options->package)) {
        case Olm::classic:
            return upgrade_classic(*options, connection, session);
        case Olm::v1:
            return upgrade_v1(*options, connection, session);
        case Olm::none:
            throw RequestError("without OLM there are no upgrades",
                               "opcat install --olm none of the new bundle changes what is there");
        }
    });
}

} // namespace opcat
