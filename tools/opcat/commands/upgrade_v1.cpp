#include "cluster/objects.hpp"
#include "cluster/rbac.hpp"
#include "cluster/resources.hpp"
#include "cluster_changes.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "upgrade.hpp"
#include "v1_flow.hpp"
#include "v1_prediction.hpp"

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
                  const olmv1::Request& request, const V1Catalogs& catalogs, const ForetoldWay& way,
                  Session& session) {
    const InstallerWish wish{name_of(extension), text(extension, {"spec", "namespace"}),
                             text(extension, {"spec", "serviceAccount", "name"})};
    if (way.steps.empty() || (request.installed && way.end == request.installed->name)) return false;
    const auto role = connection.kubectl.get(resource::cluster_roles, wish.extension + "-installer");
    if (!role || label(*role, installer_label) != wish.extension) return false;
    RenderOptions render{.ns = wish.ns, .watch = {}, .cert_manager = connection.served.cert_manager};
    if (const std::string watched = text(extension, {"spec", "config", "inline", "watchNamespace"});
        !watched.empty())
        render.watch = {watched};
    std::vector<Json> rendered = objects_on(way, catalogs, render);
    if (const Bundle* const before = installed_bundle(request, catalogs)) {
        std::vector<Json> old = render_bundle(catalogs.content_of(*before), render);
        std::move(old.begin(), old.end(), std::back_inserter(rendered));
    }
    Changes changes(connection.kubectl, derived_rights(wish, rendered));
    if (options.flow.only_shows()) {
        changes.show(options.flow, session);
        return false;
    }
    changes.carry_out(options.flow, session);
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
    const V1Catalogs catalogs(kubectl, catalog, options.images, session);
    const olmv1::Resolution resolution = olmv1::resolve(request, catalogs.named());
    const auto way = foretell_v1({kubectl, name, request, catalogs, resolution}, options.flow, session);
    if (!way) return;
    const bool other_rights = renew_rights(options, connection, *extension, request, catalogs, *way, session);

    ExtensionWish wish{.name = name,
                       .package = request.package,
                       .ns = {},
                       .service_account = {},
                       .version = options.to,
                       .channels = options.channels,
                       .self_certified = options.self_certified};
    const Json patch = extension_source_patch(wish);
    if (options.flow.dry_run) {
        session.print(fmt::format("ClusterExtension {} would be changed by {}\n", name, to_text(patch)));
        return;
    }
    const Json* const spec = find(*extension, {"spec"});
    if (spec && satisfies(*spec, patch.at("spec"))) {
        session.print(fmt::format("ClusterExtension {} asks for this already{}\n", name,
                                  other_rights ? "" : ", nothing was changed"));
        if (other_rights) nudge(kubectl, name);
    } else {
        kubectl.patch(resource::cluster_extensions, name, Scope::cluster(), patch);
        session.print(fmt::format("changed ClusterExtension {}\n", name));
    }
    if (options.flow.no_wait) return;
    session.exit_status = follow_v1(kubectl, name, way->end, options.flow, session);
}

} // namespace opcat
