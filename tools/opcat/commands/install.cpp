#include "catalog_options.hpp"
#include "classic_inputs.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "extension_flags.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/classic_install.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/uninstall.hpp"
#include "opcat/cluster/v1_install.hpp"
#include "opcat/kube/labels.hpp"
#include "terminal/session.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opcat {

using namespace cluster;

namespace {

struct InstallOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    ImageFlags images; // for the cluster's catalogs
    std::string package;
    std::vector<std::string> channels;
    bool any_channel = false;
    std::string version;
    std::string catalog;
    ExtensionFlags extension;
    std::vector<std::string> watch;
    bool all_namespaces = false;
    std::optional<bool> manual; // approval; nothing: not said
    bool pin = false;
    bool create_group = false;
    InstallerRights rbac = InstallerRights::derived;
    std::string rbac_for;
    std::string service_account;
    bool self_certified = false;
};

// An option that does nothing would promise something: --approval manual, that nothing is upgraded by itself.
void refuse_options_of_others(const InstallOptions& options, Olm olm) {
    struct Given {
        bool is_given;
        const char* flag;
        Olm of;
    };
    const Given all[] = {{options.any_channel, "--any-channel", Olm::classic},
                         {options.manual.has_value(), "--approval", Olm::classic},
                         {options.pin, "--pin", Olm::classic},
                         {options.create_group, "--create-operator-group", Olm::classic},
                         {options.rbac != InstallerRights::derived, "--rbac", Olm::v1},
                         {!options.rbac_for.empty(), "--rbac-for", Olm::v1},
                         {!options.service_account.empty(), "--service-account", Olm::v1},
                         {options.self_certified, "--self-certified", Olm::v1}};
    for (const Given& one : all)
        if (one.is_given && one.of != olm)
            throw RequestError(
                fmt::format("{} is for OLM {}, and this is {}", one.flag, to_string(one.of),
                            olm == Olm::none ? "without OLM" : fmt::format("OLM {}", to_string(olm))));
    if (olm != Olm::v1) options.extension.require_none(olm == Olm::none ? "without OLM" : "OLM classic");
}

// ---- OLM classic

ClassicInstallPlan plan_of(const InstallOptions& options, const Connection& connection, Session& session) {
    if (options.channels.size() > 1)
        throw RequestError("OLM classic takes one channel, and there are several --channel");
    const ClassicInstallRequest request{.package = options.package,
                                        .channel =
                                            options.channels.empty() ? std::string() : options.channels[0],
                                        .any_channel = options.any_channel,
                                        .version = options.version,
                                        .catalog = options.catalog,
                                        .watch = options.watch,
                                        .all_namespaces = options.all_namespaces,
                                        .create_group = options.create_group,
                                        .manual = options.pin ? std::optional(true) : options.manual,
                                        .inputs = input_names()};
    return with_hints(options.package, connection.ns, [&] {
        return plan_classic_install(
            connection.kubectl, connection.ns, request,
            catalog_access(options.images, session, connection.kubectl),
            [&](const std::string& what) { session.print_warning(for_terminal(what, 2)); });
    });
}

// Reverts a failed installation. OLM's objects for the Subscription are deleted first, while the
// OperatorGroup and the namespace still exist: without them the ClusterServiceVersion would keep its
// Deployments and rights.
void clean_up_classic(const ObjectChanges& changes, const InstallOptions& options,
                      const Connection& connection, const Session& session) {
    if (changes.creates("Subscription")) {
        const UninstallRequest request{.package = options.package, .ns = connection.ns, .olm = Olm::classic};
        const UninstallPlan plan = plan_uninstall(connection.kubectl, connection.served, request);
        if (plan.olm) {
            UninstallCallbacks callbacks;
            callbacks.on_deleted = [&](const Object& object) {
                session.print("deleted " + object.describe() + "\n");
            };
            callbacks.wait = [&](const std::string& step,
                                 const std::function<std::vector<Object>()>& remaining,
                                 const std::string& otherwise) {
                session.print(step + "\n");
                std::vector<Object> objects;
                if (!wait_until([&] { return (objects = remaining()).empty(); }, options.flow.wait()))
                    throw Error("not all could be deleted: what remains is " + describe_remaining(objects),
                                otherwise);
            };
            uninstall(connection.kubectl, plan, callbacks);
        }
    }
    undo(changes, session);
}

void install_classic(const InstallOptions& options, const Connection& connection, Session& session) {
    FlowFlags flow = options.flow;
    // A user who names a version and pins it has approved that one.
    flow.yes = flow.yes || options.pin;
    const ClassicInstallPlan plan = plan_of(options, connection, session);
    print(plan.prediction, session);
    if (!options.version.empty() && !plan.manual && plan.prediction.plan.size() > 1)
        session.print("  note: upgrades are approved automatically, so OLM continues beyond " +
                      options.version + "; --pin stays at it\n");
    for (const Obstacle& obstacle : plan.obstacles)
        session.print_error(obstacle.message, hint_for(obstacle, options.package, connection.ns));
    const bool refused = !plan.prediction.error.empty() || !plan.obstacles.empty();
    if (refused && !continues_anyway(flow, session)) return;
    ObjectChanges changes(connection.kubectl, plan.wanted);
    if (flow.only_shows()) return show(changes, flow, session);
    if (!changes.any()) session.print("all objects are there already, nothing was changed\n");
    apply(changes, flow, session);
    if (flow.no_wait) return;
    // What waits after an earlier installation is an upgrade, which nobody has asked for here.
    const bool is_new = changes.any() || plan.installed.empty();
    const ClassicGoal goal{.package = options.package,
                           .ns = connection.ns,
                           .csv = changes.any() || plan.installed == plan.goal ? plan.goal : std::string(),
                           .resolves = plan.prediction.possible && plan.prediction.error.empty()};
    session.exit_status = follow_classic(connection.kubectl, goal, plan.manual && is_new, flow, session);
    if (session.exit_status != exit_ok && session.exit_status != exit_waiting && flow.clean_up)
        clean_up_classic(changes, options, connection, session);
}

// ---- OLM v1

// Prints what prevents OLM from starting at all. False if the command cannot continue.
bool check_place(const V1InstallPlan& plan, const InstallOptions& options, const Connection& connection,
                 const Session& session) {
    const std::optional<Obstacle> obstacle = obstacle_to(plan, connection.kubectl);
    if (!obstacle) return true;
    const bool account_missing = obstacle->remedy == Remedy::name_account;
    session.print_error(
        account_missing ? fmt::format("OLM will not do it: {}, and --rbac none makes none", obstacle->message)
                        : obstacle->message,
        hint_for(*obstacle, options.package, connection.ns));
    return account_missing && options.flow.force;
}

void install_v1(const InstallOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    const FlowFlags& flow = options.flow;
    const V1InstallRequest request{
        .package = options.package,
        .version = options.version,
        .channels = options.channels,
        .catalog = options.catalog,
        .service_account = options.service_account,
        .settings = options.extension.settings(options.watch, options.catalog),
        .rights = options.rbac,
        .rights_for =
            options.rbac_for.empty() ? std::nullopt : std::optional(olmv1::known_release(options.rbac_for)),
        .policy = options.self_certified ? std::optional(olmv1::Policy::self_certified) : std::nullopt};
    const V1InstallPlan plan = with_hints(options.package, connection.ns, [&] {
        return plan_v1_install(kubectl, connection.ns, request, connection.served,
                               catalog_access(options.images, session));
    });
    if (!print_and_go_on(*plan.question, flow, session)) return;
    if (!check_place(plan, options, connection, session)) {
        session.print("nothing was changed\n");
        session.exit_status = exit_findings;
        return;
    }
    if (!has_rights(account_rights(plan, kubectl, connection.served),
                    connection.ns + "/" + plan.spec.service_account,
                    hint_for({.message = {}, .remedy = Remedy::grant_missing}, {}, {}), flow, session))
        return;
    V1InstallObjects objects = with_hints(options.package, connection.ns,
                                          [&] { return objects_of(plan, kubectl, connection.served); });
    for (const std::string& remark : objects.remarks)
        session.print("  note: " + for_terminal(remark, 4) + "\n");
    ObjectChanges changes(kubectl, std::move(objects.wanted));
    if (flow.only_shows()) return show(changes, flow, session);
    if (!changes.any()) session.print("all objects are there already, nothing was changed\n");
    apply(changes, flow, session);
    if (plan.existing && changes.any() && !changes.touches("ClusterExtension"))
        retry_now(kubectl, plan.spec.name);
    if (flow.no_wait) return;
    session.exit_status =
        follow_v1(kubectl, plan.spec.name, plan.question->prediction.path.end, flow, session);
    if (options.self_certified) print_stays_self_certified(plan.spec.name, session);
    if (session.exit_status != exit_ok && flow.clean_up) undo(changes, session);
}

// ---- without OLM

void install_plain(const InstallOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    const FlowFlags& flow = options.flow;
    const PlainInstallRequest request{.package = options.package,
                                      .catalog = options.catalog,
                                      .version = options.version,
                                      .channels = options.channels,
                                      .watch = options.watch,
                                      .take_over = flow.force};
    PlainInstallPlan plan = with_hints(options.package, connection.ns, [&] {
        return plan_plain_install(kubectl, connection.ns, request, connection.served,
                                  catalog_access(options.images, session));
    });
    session.print(fmt::format("without OLM, {} is not upgraded, and its dependencies are not installed\n",
                              plan.bundle));
    const std::vector<Object> goes = left_over(kubectl, plan);
    if (flow.only_shows()) {
        std::vector<Object> all = std::move(plan.definitions);
        std::move(plan.others.begin(), plan.others.end(), std::back_inserter(all));
        show(ObjectChanges(kubectl, std::move(all)), flow, session);
        if (!flow.output)
            for (const Object& object : goes)
                session.out.write(
                    fmt::format("---\n# {} would be deleted\n", escape_controls(object.describe())));
        return;
    }
    ObjectChanges definitions(kubectl, std::move(plan.definitions));
    apply(definitions, flow, session);
    ObjectChanges rest(kubectl, std::move(plan.others));
    if (!definitions.any() && !rest.any() && goes.empty())
        session.print("all objects are there already, nothing was changed\n");
    try {
        apply(rest, flow, session);
        kubectl.remove_objects(goes);
        for (const Object& object : goes) session.print("deleted " + object.describe() + "\n");
    } catch (const Error&) {
        if (flow.clean_up) undo(definitions, session);
        throw;
    }
    if (flow.no_wait) return;
    session.exit_status = follow_set(kubectl, plan.package, connection.ns, flow, session);
    if (session.exit_status != exit_ok && flow.clean_up) {
        undo(rest, session);
        undo(definitions, session);
    }
}

} // namespace

void add_install(Command tree, Session& session) {
    const Command command = tree.add_command("install", "Install an operator from a catalog of the cluster");
    const auto options = std::make_shared<InstallOptions>();
    command
        .add_option("PACKAGE", options->package,
                    "The package; with --olm none also a bundle (directory or image)")
        .required();
    command.add_option("--channel", options->channels,
                       "The channel (default with OLM classic: the package's); several only with OLM v1");
    command.add_flag("--any-channel", options->any_channel,
                     "OLM classic: name no channel, so that upgrades come from all of them");
    command.add_option("--version", options->version,
                       "The version, or the bundle's name; with OLM v1 a range of versions");
    command.add_option(
        "--catalog [NAMESPACE/]NAME", options->catalog,
        "The catalog on the cluster, if several have the package; with --olm none any catalog REF");
    command.add_option("--watch-namespace NAMESPACE", options->watch,
                       "A namespace for the operator to watch");
    command.add_flag("--all-namespaces", options->all_namespaces, "Let the operator watch all namespaces");
    command.add_choice("--approval", options->manual, {{"automatic", false}, {"manual", true}},
                       "OLM classic: who approves installs and upgrades, automatic or manual");
    command.add_flag("--pin", options->pin,
                     "OLM classic: install exactly --version and stay at it: upgrades wait for approval");
    command.add_flag("--create-operator-group", options->create_group,
                     "OLM classic: create an OperatorGroup if an existing namespace does not have one");
    command
        .add_choice("--rbac", options->rbac,
                    {{"derived", InstallerRights::derived},
                     {"cluster-admin", InstallerRights::cluster_admin},
                     {"none", InstallerRights::none}},
                    "OLM v1: rights of the installing account: derived (the least that the bundle needs), "
                    "cluster-admin, or none (it already has them)")
        .show_default();
    command.add_option("--rbac-for VERSION", options->rbac_for,
                       "OLM v1: derive rights for this release of OLM v1 and all later ones, such as 1.5 "
                       "(default: for a current release)");
    command.add_option("--service-account NAME", options->service_account,
                       "OLM v1: the account that installs (default: PACKAGE-installer)");
    command.add_flag("--self-certified", options->self_certified,
                     "OLM v1: allow any version, whatever the catalog's upgrade edges say");
    add_extension_flags(command, options->extension);
    add_cluster_flags(command, options->cluster);
    add_flow_flags(command, options->flow);
    add_making_flags(command, options->flow);
    add_image_flags(command, options->images);
    command.footer(
        "Before anything is changed, what OLM will do is predicted from the cluster's own state.\n\n"
        "Examples:\n"
        "  opcat install prometheus -n monitoring --channel beta\n"
        "  opcat install prometheus -n monitoring --version 0.50.0 --approval manual --yes\n"
        "  opcat install argocd-operator --olm v1 -n argocd --version '>=0.8.0 <0.9.0' --dry-run\n"
        "  opcat install argocd-operator --olm v1 -n argocd --rbac-for 1.5 -o yaml\n"
        "  opcat install argocd-operator --olm v1 -n argocd --config watchNamespace=argocd "
        "--progress-deadline 30m\n"
        "  opcat install prometheus -n monitoring -o yaml | kubectl apply -f -\n\n"
        "Exit status: 0 if it is installed, 1 if the cluster refuses it or fails, 4 if it waits for "
        "approval.");
    command.callback([options, &session] {
        if (options->all_namespaces && !options->watch.empty())
            throw RequestError("--all-namespaces and --watch-namespace exclude each other");
        if (options->any_channel && !options->channels.empty())
            throw RequestError("--any-channel and --channel exclude each other");
        if (options->pin && options->version.empty())
            throw RequestError("--pin needs a version to stay at", "add --version");
        if (options->pin && options->manual == false)
            throw RequestError("--pin and --approval automatic exclude each other");
        if (!options->rbac_for.empty()) {
            if (options->rbac != InstallerRights::derived)
                throw RequestError("--rbac-for is about derived rights", "leave out --rbac");
            olmv1::known_release(options->rbac_for);
        }
        for (const std::string& ns : options->watch) require_namespace(ns);
        if (!options->service_account.empty())
            for (const std::string& error : kube::subdomain_errors(options->service_account))
                throw RequestError(fmt::format("--service-account {}: {}", options->service_account, error));
        const Connection connection = connect(options->cluster, session);
        const Olm olm = olm_for_install(connection, options->cluster, options->package);
        refuse_options_of_others(*options, olm);
        switch (olm) {
        case Olm::classic:
            return install_classic(*options, connection, session);
        case Olm::v1:
            return install_v1(*options, connection, session);
        case Olm::none:
            return install_plain(*options, connection, session);
        }
    });
}

} // namespace opcat
