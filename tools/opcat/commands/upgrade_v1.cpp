#include "base/error.hpp"
#include "cluster/objects.hpp"
#include "cluster/rbac.hpp"
#include "cluster/resources.hpp"
#include "cluster/snapshot.hpp"
#include "cluster/v1_state.hpp"
#include "terminal/session.hpp"
#include "upgrade.hpp"

#include <nlohmann/json.hpp>

#include <iterator>

namespace opcat {

using namespace cluster;

namespace {

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
bool renew_rights(const UpgradeOptions& options, const Connection& connection, const Json& extension,
                  const olmv1::Request& request, const V1Catalogs& catalogs, const PredictedPath& path,
                  Session& session) {
    const InstallerSpec wanted{name_of(extension), text(extension, {"spec", "namespace"}),
                               text(extension, {"spec", "serviceAccount", "name"})};
    if (path.steps.empty() || (request.installed && path.end == request.installed->name)) return false;
    const auto role = connection.kubectl.get(resource::cluster_roles, wanted.extension + "-installer");
    if (!role || label(*role, installer_label) != wanted.extension) return false;
    RenderOptions render{.ns = wanted.ns, .watch = {}, .cert_manager = connection.served.cert_manager};
    if (const std::string watched = text(extension, {"spec", "config", "inline", "watchNamespace"});
        !watched.empty())
        render.watch = {watched};
    std::vector<Json> rendered = render_path(path, catalogs, render);
    if (const Bundle* const before = installed_bundle(request, catalogs)) {
        std::vector<Json> old = render_bundle(catalogs.content_of(*before), render);
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

} // namespace

void upgrade_v1(const UpgradeOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    require_name("packages", options.package);
    const auto extension = find_extension(kubectl, options.package);
    if (!extension)
        throw UsageError(fmt::format("{} is not installed with OLM v1", options.package),
                         "opcat status lists what is installed");
    const std::string name = name_of(*extension);
    const std::string catalog = text(*extension, {"spec", "source", "catalog", "selector", "matchLabels",
                                                  "olm.operatorframework.io/metadata.name"});
    olmv1::Request request;
    request.package = package_of(*extension);
    request.version = options.to;
    request.channels = options.channels.empty()
                           ? strings(*extension, {"spec", "source", "catalog", "channels"})
                           : options.channels;
    if (options.self_certified ||
        text(*extension, {"spec", "source", "catalog", "upgradeConstraintPolicy"}) == "SelfCertified")
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
    const Json patch = extension_source_patch(wanted);
    if (options.flow.dry_run) {
        session.print(fmt::format("ClusterExtension {} would be changed by {}\n", name, to_text(patch)));
        return;
    }
    const Json* const spec = find(*extension, {"spec"});
    if (spec && satisfies(*spec, patch.at("spec"))) {
        session.print(fmt::format("ClusterExtension {} asks for this already{}\n", name,
                                  other_rights ? "" : ", nothing was changed"));
        if (other_rights) retry_now(kubectl, name);
    } else {
        kubectl.patch(resource::cluster_extensions, name, Scope::cluster(), patch);
        session.print(fmt::format("changed ClusterExtension {}\n", name));
    }
    if (options.flow.no_wait) return;
    session.exit_status = follow_v1(kubectl, name, prediction.path.end, options.flow, session);
}

} // namespace opcat
