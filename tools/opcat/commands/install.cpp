#include "catalog_options.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/classic_install.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/registry_v1.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/resolve/v1/resolver.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <iterator>

namespace opcat {

using namespace cluster;

namespace {

struct InstallOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    ImageFlags images; // for the cluster's catalogs
    std::string package;
    std::vector<std::string> channels;
    std::string version;
    std::string catalog;
    std::vector<std::string> watch;
    bool all_namespaces = false;
    std::string approval; // automatic, manual
    bool create_group = false;
    std::string rbac = "derived";
    std::string service_account;
    bool self_certified = false;
};

// ---- OLM classic

// What helps against an obstacle, as flags and commands.
std::string hint_for(const Obstacle& obstacle, const std::string& package, const std::string& ns) {
    switch (obstacle.remedy) {
    case Remedy::none:
        return {};
    case Remedy::as_told:
        return obstacle.help;
    case Remedy::name_catalog:
        return "choose one with --catalog";
    case Remedy::search_packages:
        return "opcat search -n " + ns +
               " lists the packages; --catalog names a catalog whose contents are not known yet";
    case Remedy::add_catalog:
        return "opcat catalog list shows the catalogs, opcat catalog add makes one";
    case Remedy::install_elsewhere:
        return fmt::format(
            "it does not see {}: install with -n {}, or add the catalog where all namespaces see it",
            obstacle.help, obstacle.ns);
    case Remedy::choose_channel:
        return obstacle.help + ": choose with --channel";
    case Remedy::create_group:
        return "--create-operator-group makes one";
    case Remedy::choose_namespaces:
        return "choose with --watch-namespace or --all-namespaces";
    case Remedy::uninstall_extension:
        return fmt::format("opcat uninstall {} --olm v1 first, which deletes its custom resources",
                           obstacle.help);
    case Remedy::uninstall_set:
        return fmt::format(
            "opcat uninstall {} --olm none --delete-crds first, which deletes its custom resources",
            obstacle.help);
    case Remedy::upgrade:
        return fmt::format(
            "opcat upgrade {} -n {} --channel ... or --to ... moves it; opcat uninstall removes it", package,
            ns);
    case Remedy::uninstall:
        return fmt::format("opcat uninstall {} -n {} deletes it", package, ns);
    }
    return {};
}

ClassicInstallPlan plan_of(const InstallOptions& options, const Connection& connection, Session& session) {
    if (options.channels.size() > 1)
        throw RequestError("OLM classic takes one channel, and there are several --channel");
    const ClassicInstallRequest request{
        .package = options.package,
        .channel = options.channels.empty() ? std::string() : options.channels[0],
        .version = options.version,
        .catalog = options.catalog,
        .watch = options.watch,
        .all_namespaces = options.all_namespaces,
        .create_group = options.create_group,
        .manual = options.approval.empty() ? std::nullopt : std::optional(options.approval == "manual")};
    try {
        return plan_classic_install(
            connection.kubectl, connection.ns, request, catalog_access(options.images, session),
            [&](const std::string& what) { session.print_warning(for_terminal(what, 2)); });
    } catch (const OpenRequest& open) {
        throw RequestError(open.what(), hint_for(open.obstacle(), options.package, connection.ns));
    }
}

void install_classic(const InstallOptions& options, const Connection& connection, Session& session) {
    const FlowFlags& flow = options.flow;
    const ClassicInstallPlan plan = plan_of(options, connection, session);
    print(plan.prediction, session);
    for (const Obstacle& obstacle : plan.obstacles)
        session.print_error(obstacle.message, hint_for(obstacle, options.package, connection.ns));
    if ((!plan.prediction.error.empty() || !plan.obstacles.empty()) && !flow.force) {
        if (flow.only_shows() || !session.options.quiet)
            session.print("nothing was changed; --force goes on nevertheless\n");
        session.exit_status = exit_findings;
        return;
    }
    ObjectChanges changes(connection.kubectl, plan.wanted);
    if (flow.only_shows()) return show(changes, flow, session);
    if (!changes.any()) session.print("all objects are there already, nothing was changed\n");
    apply(changes, flow, session);
    if (flow.no_wait) return;
    const ClassicGoal goal{
        .package = options.package, .ns = connection.ns, .csv = changes.any() ? plan.goal : std::string()};
    session.exit_status = follow_classic(connection.kubectl, goal, plan.manual, flow, session);
    if (session.exit_status != exit_ok && flow.clean_up) undo(changes, session);
}

// ---- OLM v1

std::vector<Object> rights(const InstallOptions& options, const InstallerSpec& spec,
                           const Connection& connection, const PredictedPath& path,
                           const V1Catalogs& catalogs) {
    if (options.rbac == "none") return {};
    if (options.rbac == "cluster-admin") return cluster_admin_binding(spec);
    const std::string instead = "--rbac cluster-admin gives all rights, --rbac none leaves them to you";
    if (path.steps.empty())
        throw RequestError(
            "the rights that the bundle needs cannot be derived: it is not known which bundle it will be",
            instead);
    try {
        return derived_rights(spec, render_path(path, catalogs,
                                                {.ns = connection.ns,
                                                 .watch = options.watch,
                                                 .cert_manager = connection.served.cert_manager}));
    } catch (const Error& error) {
        throw Error(fmt::format("the rights that the bundle needs cannot be derived: {}", error.what()),
                    instead);
    }
}

// Says what keeps OLM from beginning at all: without the account it waits for it, and an extension neither
// moves to another namespace nor to another account.
bool check_place(const ExtensionSpec& spec, const std::optional<Object>& existing,
                 const InstallOptions& options, const Kubectl& kubectl, Session& session) {
    if (existing) {
        const std::string_view ns = existing->text("spec", "namespace");
        const std::string_view account = existing->text("spec", "serviceAccount", "name");
        if (ns == spec.ns && account == spec.service_account) return true;
        session.print_error(
            fmt::format("ClusterExtension {} is in namespace {} with ServiceAccount {}, neither of which can "
                        "be changed",
                        spec.name, ns, account),
            fmt::format(
                "opcat uninstall {} first, which deletes its custom resources; or -n {}{}", spec.name, ns,
                account == spec.service_account ? "" : fmt::format(" --service-account {}", account)));
        return false;
    }
    if (options.rbac != "none") return true;
    try {
        if (kubectl.get(resource::service_accounts, spec.service_account, Scope::in(spec.ns))) return true;
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        return true;
    }
    session.print_error(fmt::format("OLM will not do it: namespace {} has no ServiceAccount {}, and "
                                    "--rbac none makes none",
                                    spec.ns, spec.service_account),
                        "name another with --service-account, or leave out --rbac none");
    return options.flow.force;
}

void install_v1(const InstallOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    require_name("packages", options.package);
    if (options.catalog.find('/') != std::string::npos)
        throw RequestError("a ClusterCatalog has no namespace", "--catalog takes its name alone");
    const bool namespace_exists = require_usable_namespace(kubectl, connection.ns);
    const auto existing = find_extension(kubectl, options.package);
    if (existing && package_of(*existing) != options.package)
        throw Error(fmt::format("cannot install {}: the ClusterExtension of this name installs {}",
                                options.package, package_of(*existing)),
                    fmt::format("opcat uninstall {} removes it", options.package));
    const std::string name = existing ? existing->name : options.package;
    const std::string account =
        options.service_account.empty() ? name + "-installer" : options.service_account;
    require_name("serviceaccounts", account);

    olmv1::Request request;
    request.package = options.package;
    request.version = options.version;
    request.channels = options.channels;
    if (options.self_certified) request.policy = olmv1::Policy::self_certified;
    if (existing) request.installed = installed_of(*existing);
    const V1Catalogs catalogs(kubectl, options.catalog, catalog_access(options.images, session));
    const V1Prediction prediction = predict_v1(kubectl, name, request, catalogs);
    if (!print_and_go_on(prediction, request, catalogs, options.flow, session)) return;

    ExtensionSpec spec{.name = name,
                       .package = options.package,
                       .ns = connection.ns,
                       .service_account = account,
                       .version = options.version,
                       .channels = options.channels,
                       .catalog = options.catalog,
                       .self_certified = options.self_certified,
                       .watch_namespaces = options.watch};
    // The outage of another catalog must not keep this operator from its upgrades.
    if (const auto& choice = prediction.resolution.choice; spec.catalog.empty() && choice)
        spec.catalog = choice->catalog->name;
    if (existing && options.service_account.empty())
        spec.service_account = existing->text("spec", "serviceAccount", "name");
    if (!check_place(spec, existing, options, kubectl, session)) {
        session.print("nothing was changed\n");
        session.exit_status = exit_findings;
        return;
    }
    const InstallerSpec installer{spec.name, spec.ns, spec.service_account};
    std::vector<Object> wanted;
    if (!namespace_exists) wanted.push_back(namespace_object(spec.ns));
    if (options.rbac != "none") wanted.push_back(installer_account(installer));
    std::vector<Object> allowed = rights(options, installer, connection, prediction.path, catalogs);
    std::move(allowed.begin(), allowed.end(), std::back_inserter(wanted));
    wanted.push_back(cluster_extension(spec));
    ObjectChanges changes(kubectl, std::move(wanted));
    if (options.flow.only_shows()) return show(changes, options.flow, session);
    if (!changes.any()) session.print("all objects are there already, nothing was changed\n");
    apply(changes, options.flow, session);
    if (existing && changes.any() && !changes.touches("ClusterExtension")) retry_now(kubectl, spec.name);
    if (options.flow.no_wait) return;
    session.exit_status = follow_v1(kubectl, spec.name, prediction.path.end, options.flow, session);
    if (session.exit_status != exit_ok && options.flow.clean_up) undo(changes, session);
}

// ---- without OLM

struct Chosen {
    std::string package;
    BundleContent content;
};

// A bundle by itself, or what OLM v1 would choose of a catalog.
Chosen choose_bundle(const InstallOptions& options, const CatalogAccess& access) {
    if (options.catalog.empty()) {
        const LoadedCatalog loaded = access.load_one(options.package);
        if (loaded.catalog.bundles.size() != 1)
            throw RequestError(fmt::format("{} is not one bundle", options.package),
                               "name a bundle (directory or image), or a package and --catalog REF");
        const Bundle& bundle = loaded.catalog.bundles.front();
        return {std::string(bundle.package.text), content_of(bundle, access)};
    }
    LoadedCatalog loaded = access.load_one(options.catalog);
    const olmv1::CatalogIndex index(std::move(loaded.catalog));
    olmv1::NamedCatalog named;
    named.name = "catalog";
    named.index = &index;
    olmv1::Request request;
    request.package = options.package;
    request.version = options.version;
    request.channels = options.channels;
    const olmv1::Resolution resolution = olmv1::resolve(request, std::span(&named, 1));
    if (!resolution.choice) throw Error(fmt::format("cannot choose a bundle: {}", resolution.error));
    return {options.package, content_of(*resolution.choice->bundle->bundle, access)};
}

Object marked(const Object& object, const Chosen& chosen) {
    Json json = json_of(object.value());
    json["metadata"]["labels"][set_label] = chosen.package;
    Json& annotations = json["metadata"]["annotations"];
    annotations[set_package_annotation] = chosen.package;
    annotations[set_bundle_annotation] = chosen.content.name();
    annotations[set_version_annotation] = chosen.content.version();
    return object_of(json);
}

bool is_crd(const Object& object) {
    return object.kind() == "CustomResourceDefinition";
}

// What an earlier bundle brought and this one does not. Definitions stay: users may have made something of
// them.
std::vector<Object> left_over(const Kubectl& kubectl, const Chosen& chosen,
                              const std::vector<Object>& wanted) {
    std::vector<Object> objects = objects_of_set(kubectl, chosen.package);
    std::erase_if(objects, [&](const Object& object) {
        return is_crd(object) || kube::find_same(wanted, object) != nullptr;
    });
    return objects;
}

void install_plain(const InstallOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    const Chosen chosen = choose_bundle(options, catalog_access(options.images, session));
    require_name("packages", chosen.package);
    const bool namespace_exists = require_usable_namespace(kubectl, connection.ns);
    std::vector<Object> rendered = render_bundle(
        chosen.content,
        {.ns = connection.ns, .watch = options.watch, .cert_manager = connection.served.cert_manager});
    for (Object& object : rendered) object = marked(object, chosen);
    std::vector<Object> crds;
    std::vector<Object> others;
    if (!namespace_exists) crds.push_back(namespace_object(connection.ns));
    for (Object& object : rendered) (is_crd(object) ? crds : others).push_back(std::move(object));
    // What belongs to somebody else must not be taken over in silence.
    for (const Object& there : kubectl.existing(crds))
        if (is_crd(there) && there.label(set_label) != chosen.package && !options.flow.force)
            throw Error(fmt::format("{} is there already, and not of this set", there.describe()),
                        "another operator or OLM brought it; --force takes it over");
    session.print(fmt::format("without OLM, nobody upgrades {} and nobody installs what it depends on\n",
                              chosen.content.name()));
    const std::vector<Object> goes = left_over(kubectl, chosen, others);
    ObjectChanges definitions(kubectl, std::move(crds));
    if (options.flow.only_shows()) {
        show(definitions, options.flow, session);
        show(ObjectChanges(kubectl, std::move(others)), options.flow, session);
        if (options.flow.output.empty())
            for (const Object& object : goes)
                session.out.write(fmt::format("---\n# {} would be deleted\n", object.describe()));
        return;
    }
    apply(definitions, options.flow, session);
    ObjectChanges rest(kubectl, std::move(others));
    if (!definitions.any() && !rest.any() && goes.empty())
        session.print("all objects are there already, nothing was changed\n");
    try {
        apply(rest, options.flow, session);
        kubectl.remove_objects(goes);
        for (const Object& object : goes) session.print("deleted " + object.describe() + "\n");
    } catch (const Error&) {
        if (options.flow.clean_up) undo(definitions, session);
        throw;
    }
    if (options.flow.no_wait) return;
    session.exit_status = follow_set(kubectl, chosen.package, connection.ns, options.flow, session);
    if (session.exit_status != exit_ok && options.flow.clean_up) {
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
                       "The channel (default: the package's); several only with OLM v1");
    command.add_option("--version", options->version,
                       "The version, or the bundle's name; with OLM v1 a range of versions");
    command
        .add_option(
            "--catalog", options->catalog,
            "The catalog on the cluster, if several have the package; with --olm none any catalog REF")
        .value_name("[NAMESPACE/]NAME");
    command.add_option("--watch-namespace", options->watch, "A namespace for the operator to watch")
        .value_name("NAMESPACE");
    command.add_flag("--all-namespaces", options->all_namespaces, "Let the operator watch all namespaces");
    command
        .add_option("--approval", options->approval,
                    "OLM classic: who approves installs and upgrades, automatic or manual")
        .one_of({"automatic", "manual"});
    command.add_flag("--create-operator-group", options->create_group,
                     "OLM classic: make an OperatorGroup if the namespace, which exists, has none");
    command
        .add_option("--rbac", options->rbac,
                    "OLM v1: rights of the account that installs: derived (the least that the bundle needs), "
                    "cluster-admin, or none (it has them)")
        .one_of({"derived", "cluster-admin", "none"})
        .show_default();
    command
        .add_option("--service-account", options->service_account,
                    "OLM v1: the account that installs (default: PACKAGE-installer)")
        .value_name("NAME");
    command.add_flag("--self-certified", options->self_certified,
                     "OLM v1: allow any version, whatever the catalog's upgrade edges say");
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
        "  opcat install prometheus -n monitoring -o yaml | kubectl apply -f -\n\n"
        "Exit status: 0 if it is installed, 1 if the cluster says no.");
    command.callback([options, &session] {
        if (options->all_namespaces && !options->watch.empty())
            throw RequestError("--all-namespaces and --watch-namespace exclude each other");
        for (const std::string& ns : options->watch) require_namespace(ns);
        const Connection connection = connect(options->cluster);
        switch (olm_for_install(connection, options->cluster, options->package)) {
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
