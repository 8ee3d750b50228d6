#include "commands/catalog.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <chrono>

namespace opcat {

using namespace cluster;

namespace {

int64_t minutes_of(const std::string& poll) {
    return std::max<int64_t>(1, duration_of(poll)->count() / 60'000);
}

constexpr std::string_view address_mark = "address:";

// "address:host:port": a registry that is running already.
std::string address_in(const CatalogOptions& options) {
    if (!options.image.starts_with(address_mark)) return {};
    const std::string address = options.image.substr(address_mark.size());
    const size_t colon = address.rfind(':');
    const bool has_port = colon != std::string::npos && colon > 0 && colon + 1 < address.size() &&
                          address.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    if (!has_port || address.find_first_of("/@ ") != std::string::npos)
        throw RequestError(fmt::format("\"{}\" is not an address", address),
                           "write address:HOST:PORT, as address:registry.shop.svc:50051");
    if (!options.poll.empty() || !options.image_template.empty())
        throw RequestError("--poll and --image-template are for images, and this is an address");
    return address;
}

std::string_view content_of(const Object& catalog) {
    for (const char* field : {"image", "address"})
        if (const std::string_view found = catalog.text("spec", field); !found.empty()) return found;
    return catalog.text("spec", "source", "image", "ref");
}

// A catalog of this name with other content is not replaced without a question: operators that were installed
// from it get their upgrades from it.
bool may_replace(const Object& there, const Object& wanted, const CatalogOptions& options, Session& session) {
    session.print(fmt::format("{} is there already, with {}\n", there.describe(), content_of(there)));
    return options.flow.yes || options.flow.only_shows() ||
           agreed(session, "replacing the content of a catalog",
                  fmt::format("Replace it with {}?", content_of(wanted)),
                  "add --yes, or choose another name");
}

// How to know that OLM classic has seen the new content; nothing where the state says that itself.
Renewed renewed_content(const Kubectl& kubectl, const Object& wanted, const Session& session) {
    if (wanted.ns.empty()) return {}; // a ClusterCatalog, which names the generation that its state is about
    if (const std::string address(wanted.text("spec", "address")); !address.empty())
        return [address, name = wanted.name, ns = wanted.ns](const Kubectl& looking) {
            const auto now = looking.get(resource::catalog_sources, name, Scope::in(ns));
            return !now || now->text("status", "connectionState", "address") == address;
        };
    try {
        return has_new_pod(pods_of(kubectl, wanted.ns, wanted.name), wanted.ns, wanted.name);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        session.print_warning(
            fmt::format("{}: the state of the catalog may be that of its old content", error.what()));
        return {};
    }
}

void require_image(const std::string& image) {
    if (const auto spec = PullSpec::parse(image); !spec)
        throw RequestError(fmt::format("\"{}\" is not an image: {}", image, spec.error().message),
                           "write registry.example/catalog:tag, or ...@sha256:...");
}

// Returns true if a catalog of this image may be added: one that does not load keeps OLM classic from
// resolving anything wherever the catalog is seen.
bool may_add(const std::string& image, Olm olm, const CatalogOptions& options, Session& session) {
    if (options.no_check) {
        if (options.images.require_signatures || !options.images.signature_policy.empty())
            throw RequestError("--no-check looks at no image, and so at no signature",
                               "leave one of them out");
        return true;
    }
    const auto refuse = [&](const std::string& message, const std::string& help) {
        session.print_error(message, help);
        return continues_anyway(options.flow, session);
    };
    std::optional<LoadedCatalog> loaded;
    try {
        if (!names_image(image, session.manner()))
            throw Error(
                fmt::format("\"{}\" is a path here, or the name of an image without its registry", image));
        OpenOptions how = opening(options.images, session);
        how.taken = Taken::catalogs;
        loaded = open(image, how, session.pool()).take();
    } catch (const Error& error) {
        return refuse(fmt::format("the catalog could not be checked: {}", error.what()),
                      "--no-check adds it unchecked, if the cluster can pull what this machine cannot");
    }
    const Diagnostics errors = find_errors(*loaded, session.pool());
    if (!errors.empty())
        return refuse(fmt::format("{} is not a valid catalog ({}): {}", image,
                                  counted(errors.size(), "error"), for_terminal(errors.front().message, 2)),
                      fmt::format("opcat validate {} shows all; while such a catalog is on the cluster, {}",
                                  image,
                                  olm == Olm::classic ? "OLM resolves nothing in the namespaces that see it"
                                                      : "OLM v1 installs nothing from it"));
    if (loaded->catalog.packages.empty())
        return refuse(fmt::format("{} has no package", image), "it may not be the image of a catalog");
    return true;
}

} // namespace

void add_one_catalog(const CatalogOptions& options, Session& session) {
    require_name("catalogs", options.name);
    const std::string address = address_in(options);
    if (address.empty()) require_image(options.image);
    const Connection connection = connect(options.cluster, session);
    const Kubectl& kubectl = connection.kubectl;
    const Olm olm = choose(connection.served, options.cluster.olm);
    if (olm == Olm::none) throw RequestError("without OLM a cluster has no catalogs");
    std::string ns;
    Object object;
    std::string image = options.image; // that the cluster pulls
    if (olm == Olm::v1) {
        if (!address.empty()) throw RequestError("OLM v1 has no catalogs at an address: name an image");
        if (!options.image_template.empty())
            throw RequestError("--image-template is for OLM classic: ClusterCatalogs have no templates");
        ClusterCatalogSpec spec{.name = options.name, .image = options.image, .priority = options.priority};
        if (!options.poll.empty()) spec.poll_minutes = minutes_of(options.poll);
        object = cluster_catalog(spec);
    } else {
        ns = namespace_for_catalogs(options, connection);
        if (!require_usable_namespace(kubectl, ns))
            throw Error(fmt::format("namespace {} does not exist", ns),
                        "kubectl create namespace " + ns + " makes it");
        CatalogSourceSpec spec{.name = options.name,
                               .ns = ns,
                               .image = options.image,
                               .address = address,
                               .image_template = options.image_template,
                               .priority = options.priority,
                               .display_name = options.name};
        if (!options.poll.empty()) {
            spec.poll = options.poll;
            if (options.image.find('@') != std::string::npos)
                session.print_warning("the image has a digest: looking for a newer one never finds any");
        }
        if (!options.image_template.empty()) {
            const std::string version = kubectl.server_version();
            const auto filled = fill_image_template(options.image_template, version);
            if (!filled) throw Error(fmt::format("cannot read the cluster's version \"{}\"", version));
            session.print(fmt::format("on this cluster ({}) the template yields {}\n", version, *filled));
            require_image(*filled);
            image = *filled;
        }
        object = catalog_source(spec);
    }
    const std::vector<Object> there = kubectl.existing({object});
    if (!there.empty() && !options.flow.output && !require_enabled(there.front(), session)) return;
    const bool is_replaced = !there.empty() && content_of(there.front()) != content_of(object);
    if (is_replaced && !may_replace(there.front(), object, options, session)) return;
    if (address.empty() && !may_add(image, olm, options, session)) return;
    ObjectChanges changes(kubectl, {object});
    if (options.flow.only_shows()) return show(changes, options.flow, session);
    if (!changes.any()) session.print(object.describe() + " is there already, nothing was changed\n");
    const Renewed renewed =
        is_replaced && !options.flow.no_wait ? renewed_content(kubectl, object, session) : Renewed();
    apply(changes, options.flow, session);
    if (options.flow.no_wait) return;
    session.exit_status = follow_catalog(kubectl, olm, ns, options.name, options.flow, session, renewed);
    if (session.exit_status != exit_ok && options.flow.clean_up) undo(changes, session);
}

} // namespace opcat
