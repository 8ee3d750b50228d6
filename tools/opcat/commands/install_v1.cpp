#include "cluster/objects.hpp"
#include "cluster/rbac.hpp"
#include "cluster/registry_v1.hpp"
#include "cluster/resources.hpp"
#include "cluster_changes.hpp"
#include "cluster_flow.hpp"
#include "install.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "v1_flow.hpp"
#include "v1_prediction.hpp"

#include <nlohmann/json.hpp>

#include <iterator>

namespace opcat {

using namespace cluster;

namespace {

std::vector<Json> rights(const InstallOptions& options, const InstallerWish& wish,
                         const Connection& connection, const ForetoldWay& way, const V1Catalogs& catalogs) {
    if (options.rbac == "none") return {};
    if (options.rbac == "cluster-admin") return cluster_admin_binding(wish);
    const std::string instead = "--rbac cluster-admin gives all rights, --rbac none leaves them to you";
    if (way.steps.empty())
        throw UsageError(
            "the rights that the bundle needs cannot be derived: it is not known which bundle it will be",
            instead);
    try {
        return derived_rights(wish, objects_on(way, catalogs,
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
bool check_place(const ExtensionWish& wish, const std::optional<Json>& existing,
                 const InstallOptions& options, const Kubectl& kubectl, Session& session) {
    if (existing) {
        const std::string ns = text(*existing, {"spec", "namespace"});
        const std::string account = text(*existing, {"spec", "serviceAccount", "name"});
        if (ns == wish.ns && account == wish.service_account) return true;
        session.print_error(
            fmt::format("ClusterExtension {} is in namespace {} with ServiceAccount {}, neither of which can "
                        "be changed",
                        wish.name, ns, account),
            fmt::format("opcat uninstall {} first, which deletes its custom resources; or -n {}{}", wish.name,
                        ns, account == wish.service_account ? "" : " --service-account " + account));
        return false;
    }
    if (options.rbac != "none") return true;
    try {
        if (kubectl.get(resource::service_accounts, wish.service_account, Scope::in(wish.ns))) return true;
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        return true;
    }
    session.print_error(fmt::format("OLM will not do it: namespace {} has no ServiceAccount {}, and "
                                    "--rbac none makes none",
                                    wish.ns, wish.service_account),
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
    const V1Catalogs catalogs(kubectl, options.catalog, options.images, session);
    const olmv1::Resolution resolution = olmv1::resolve(request, catalogs.named());
    const auto way = foretell_v1({kubectl, name, request, catalogs, resolution}, options.flow, session);
    if (!way) return;

    ExtensionWish wish{.name = name,
                       .package = options.package,
                       .ns = connection.ns,
                       .service_account = account,
                       .version = options.version,
                       .channels = options.channels,
                       .catalog = options.catalog,
                       .self_certified = options.self_certified,
                       .watch_namespaces = options.watch};
    // The outage of another catalog must not keep this operator from its upgrades.
    if (wish.catalog.empty() && resolution.choice) wish.catalog = resolution.choice->catalog->name;
    if (existing && options.service_account.empty())
        wish.service_account = text(*existing, {"spec", "serviceAccount", "name"});
    if (!check_place(wish, existing, options, kubectl, session)) {
        session.print("nothing was changed\n");
        session.exit_status = exit_findings;
        return;
    }
    const InstallerWish installer{wish.name, wish.ns, wish.service_account};
    std::vector<Json> wanted;
    if (!namespace_exists) wanted.push_back(namespace_object(wish.ns));
    if (options.rbac != "none") wanted.push_back(installer_account(installer));
    std::vector<Json> allowed = rights(options, installer, connection, *way, catalogs);
    std::move(allowed.begin(), allowed.end(), std::back_inserter(wanted));
    wanted.push_back(cluster_extension(wish));
    Changes changes(kubectl, std::move(wanted));
    if (options.flow.only_shows()) return changes.show(options.flow, session);
    if (!changes.any()) session.print("all objects are there already, nothing was changed\n");
    changes.carry_out(options.flow, session);
    if (existing && changes.any() && !changes.touches("ClusterExtension")) nudge(kubectl, wish.name);
    if (options.flow.no_wait) return;
    session.exit_status = follow_v1(kubectl, wish.name, way->end, options.flow, session);
    if (session.exit_status != exit_ok && options.flow.clean_up) changes.undo(session);
}

} // namespace opcat
