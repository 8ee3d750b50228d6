#include "base/error.hpp"
#include "cluster/objects.hpp"
#include "cluster/plain_set.hpp"
#include "cluster/registry_v1.hpp"
#include "cluster/resources.hpp"
#include "cluster_flow.hpp"
#include "install.hpp"
#include "resolve/v1/resolver.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

using namespace cluster;

namespace {

struct Chosen {
    std::string package;
    BundleContent content;
};

// A bundle by itself, or what OLM v1 would choose of a catalog.
Chosen choose_bundle(const InstallOptions& options, const CatalogAccess& access) {
    if (options.catalog.empty()) {
        const LoadedCatalog loaded = access.load_one(options.package);
        if (loaded.catalog.bundles.size() != 1)
            throw UsageError(fmt::format("{} is not one bundle", options.package),
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

void mark(Json& object, const Chosen& chosen) {
    object["metadata"]["labels"][set_label] = chosen.package;
    Json& annotations = object["metadata"]["annotations"];
    annotations[set_package_annotation] = chosen.package;
    annotations[set_bundle_annotation] = chosen.content.name();
    annotations[set_version_annotation] = chosen.content.version();
}

bool is_crd(const Json& object) {
    return kind_of(object) == "CustomResourceDefinition";
}

// What an earlier bundle brought and this one does not. Definitions stay: users may have made something of
// them.
std::vector<Json> left_over(const Kubectl& kubectl, const Chosen& chosen, const std::vector<Json>& wanted) {
    std::vector<Json> objects = objects_of_set(kubectl, chosen.package);
    std::erase_if(objects, [&](const Json& object) {
        return is_crd(object) || counterpart(wanted, object) != nullptr;
    });
    return objects;
}

} // namespace

void install_plain(const InstallOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    const Chosen chosen = choose_bundle(options, catalog_access(options.images, session));
    require_name("packages", chosen.package);
    const bool namespace_exists = require_usable_namespace(kubectl, connection.ns);
    std::vector<Json> rendered = render_bundle(
        chosen.content,
        {.ns = connection.ns, .watch = options.watch, .cert_manager = connection.served.cert_manager});
    for (Json& object : rendered) mark(object, chosen);
    std::vector<Json> crds;
    std::vector<Json> others;
    if (!namespace_exists) crds.push_back(namespace_object(connection.ns));
    for (Json& object : rendered) (is_crd(object) ? crds : others).push_back(std::move(object));
    // What belongs to somebody else must not be taken over in silence.
    for (const Json& there : kubectl.existing(crds))
        if (is_crd(there) && label(there, set_label) != chosen.package && !options.flow.force)
            throw Error(fmt::format("{} is there already, and not of this set", describe(there)),
                        "another operator or OLM brought it; --force takes it over");
    session.print(fmt::format("without OLM, nobody upgrades {} and nobody installs what it depends on\n",
                              chosen.content.name()));
    const std::vector<Json> goes = left_over(kubectl, chosen, others);
    ObjectChanges definitions(kubectl, std::move(crds));
    if (options.flow.only_shows()) {
        show(definitions, options.flow, session);
        show(ObjectChanges(kubectl, std::move(others)), options.flow, session);
        if (options.flow.output.empty())
            for (const Json& object : goes)
                session.out.write(fmt::format("---\n# {} would be deleted\n", describe(object)));
        return;
    }
    apply(definitions, options.flow, session);
    ObjectChanges rest(kubectl, std::move(others));
    if (!definitions.any() && !rest.any() && goes.empty())
        session.print("all objects are there already, nothing was changed\n");
    try {
        apply(rest, options.flow, session);
        kubectl.remove_objects(goes);
        for (const Json& object : goes) session.print("deleted " + describe(object) + "\n");
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

} // namespace opcat
