#include "base/error.hpp"
#include "cluster/objects.hpp"
#include "cluster/rbac.hpp"
#include "cluster/registry_v1.hpp"
#include "cluster/resources.hpp"
#include "cluster/snapshot.hpp"
#include "cluster/v1_state.hpp"
#include "cluster_flow.hpp"
#include "install.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <iterator>

namespace opcat {

using namespace cluster;

namespace {

std::vector<Json> rights(const InstallOptions& options, const InstallerSpec& spec,
                         const Connection& connection, const PredictedPath& path,
                         const V1Catalogs& catalogs) {
    if (options.rbac == "none") return {};
    if (options.rbac == "cluster-admin") return cluster_admin_binding(spec);
    const std::string instead = "--rbac cluster-admin gives all rights, --rbac none leaves them to you";
    if (path.steps.empty())
        throw UsageError(
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
bool check_place(const ExtensionSpec& spec, const std::optional<Json>& existing,
                 const InstallOptions& options, const Kubectl& kubectl, Session& session) {
    if (existing) {
        const std::string ns = text(*existing, {"spec", "namespace"});
        const std::string account = text(*existing, {"spec", "serviceAccount", "name"});
        if (ns == spec.ns && account == spec.service_account) return true;
        session.print_error(
            fmt::format("ClusterExtension {} is in namespace {} with ServiceAccount {}, neither of which can "
                        "be changed",
                        spec.name, ns, account),
            fmt::format("opcat uninstall {} first, which deletes its custom resources; or -n {}{}", spec.name,
                        ns, account == spec.service_account ? "" : " --service-account " + account));
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

} // namespace

void install_v1(const InstallOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    require_name("packages", options.package);
    if (options.catalog.find('/') != std::string::npos)
        throw UsageError("a ClusterCatalog has no namespace", "--catalog takes its name alone");
    const bool namespace_exists = require_usable_namespace(kubectl, connection.ns);
    const auto existing = find_extension(kubectl, options.package);
    if (existing && package_of(*existing) != options.package)
        throw Error(fmt::format("cannot install {}: the ClusterExtension of this name installs {}",
                                options.package, package_of(*existing)),
                    fmt::format("opcat uninstall {} removes it", options.package));
    const std::string name = existing ? name_of(*existing) : options.package;
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
        spec.service_account = text(*existing, {"spec", "serviceAccount", "name"});
    if (!check_place(spec, existing, options, kubectl, session)) {
        session.print("nothing was changed\n");
        session.exit_status = exit_findings;
        return;
    }
    const InstallerSpec installer{spec.name, spec.ns, spec.service_account};
    std::vector<Json> wanted;
    if (!namespace_exists) wanted.push_back(namespace_object(spec.ns));
    if (options.rbac != "none") wanted.push_back(installer_account(installer));
    std::vector<Json> allowed = rights(options, installer, connection, prediction.path, catalogs);
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

} // namespace opcat
