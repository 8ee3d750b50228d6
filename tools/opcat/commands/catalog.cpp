#include "catalog_options.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace opcat {
namespace {

using namespace cluster;

struct CatalogOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    std::string name;
    std::string image;
    std::string image_template;
    std::string poll;
    std::optional<int64_t> priority;
    std::string output = "table";
    ImageFlags images;
    bool no_check = false;
};

// The default namespace of CatalogSources, where all namespaces see them.
std::string namespace_for_catalogs(const CatalogOptions& options, const Connection& connection) {
    if (!options.cluster.ns.empty()) return options.cluster.ns;
    const std::string global = global_namespace(
        connection.kubectl, connection.kubectl.list(resource::catalog_sources, Scope::everywhere()));
    if (!global.empty()) return global;
    // The first catalog of all.
    for (const char* usual : usual_global_namespaces)
        if (connection.kubectl.get(resource::namespaces, usual)) return usual;
    return connection.ns;
}

std::vector<Object> pods_of(const Kubectl& kubectl, const std::string& ns, const std::string& name) {
    return kubectl.list(resource::pods, Scope::in(ns), "olm.catalogSource=" + name);
}

// The digest that a CatalogSource's pod serves; empty if unknown.
std::string content_of_pods(const Kubectl& kubectl, const std::string& ns, const std::string& name) {
    const auto catalog = kubectl.get(resource::catalog_sources, name, Scope::in(ns));
    return catalog ? served_digest(*catalog, pods_of(kubectl, ns, name)) : std::string();
}

CatalogState look_at(const Kubectl& kubectl, Olm olm, const std::string& ns, const std::string& name) {
    if (olm == Olm::v1) {
        const auto catalog = kubectl.get(resource::cluster_catalogs, name);
        if (!catalog) throw Error(fmt::format("ClusterCatalog {} is gone", name));
        return state_of_cluster_catalog(*catalog);
    }
    const auto catalog = kubectl.get(resource::catalog_sources, name, Scope::in(ns));
    if (!catalog) throw Error(fmt::format("CatalogSource {}/{} is gone", ns, name));
    std::vector<Object> pods;
    CatalogState state = state_of_catalog_source(*catalog, pods);
    if (state.health == Health::ready) return state;
    try {
        pods = pods_of(kubectl, ns, name);
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): then the catalog's own words must do
    }
    return state_of_catalog_source(*catalog, pods);
}

// Waits until the catalog is ready, or clearly will not be. `renewed`, if given, says whether the cluster's
// objects are from after a refresh; `old_content` is the image's digest before it.
int follow_catalog(const Kubectl& kubectl, Olm olm, const std::string& ns, const std::string& name,
                   const FlowFlags& flags, Session& session,
                   const std::function<bool(const Kubectl&)>& renewed = {},
                   const std::string& old_content = {}) {
    const std::string full = ns.empty() ? name : ns + "/" + name;
    say_when_interrupted(
        fmt::format("interrupted while catalog {} was not ready yet; the cluster continues by itself; "
                    "opcat catalog list shows its state",
                    full));
    CatalogState state;
    const Kubectl looking = kubectl.without_patience();
    const WaitOptions wait = flags.wait();
    StateDebouncer debouncer;
    StepDisplay steps(session);
    const bool done = wait_until(
        [&] {
            if (renewed && !renewed(looking)) {
                steps.show(fmt::format("catalog {}: waiting for the new pod", full));
                return false;
            }
            state = look_at(looking, olm, ns, name);
            steps.show(fmt::format("catalog {}: {}", full, state.cause.empty() ? state.word : state.cause));
            const bool settled =
                debouncer.is_stable(std::string(to_string(state.health)), state.hold, wait.clock.now());
            return settled && state.health != Health::working;
        },
        wait);
    steps.end(done && state.health == Health::ready);
    say_when_interrupted("");
    if (done && state.health == Health::ready) {
        const std::string content =
            olm == Olm::classic && renewed ? content_of_pods(looking, ns, name) : state.digest;
        session.print(fmt::format("catalog {} is ready{}{}\n", full,
                                  content.empty() ? "" : ": it serves " + content,
                                  old_content.empty() || content.empty() ? ""
                                  : old_content == content               ? ", as before"
                                                                         : ", before " + old_content));
        return exit_ok;
    }
    const std::string cause = state.cause.empty() ? state.word : state.cause;
    session.print_error(done ? fmt::format("catalog {} does not get ready: {}", full, for_terminal(cause, 2))
                             : fmt::format("catalog {} was not ready within {}: {}", full, flags.timeout,
                                           for_terminal(cause, 2)));
    if (olm == Olm::classic) {
        for (const std::string& why : diagnose_catalog(kubectl, ns, name))
            if (why != cause) session.print("  because: " + for_terminal(why, 4) + "\n");
        const bool is_global =
            ns == global_namespace(kubectl, kubectl.list(resource::catalog_sources, Scope::in(ns)));
        session.print_warning(fmt::format("while {} is not ready, OLM classic resolves nothing in {}", full,
                                          is_global ? "any namespace" : "namespace " + ns));
    }
    return exit_findings;
}

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

// A catalog of this name with other content is not replaced without a question: operators that were installed
// from it get their upgrades from it.
bool may_replace(const Kubectl& kubectl, const Object& wanted, const CatalogOptions& options,
                 Session& session) {
    const auto content = [](const Object& catalog) {
        for (const char* field : {"image", "address"})
            if (const std::string_view found = catalog.text("spec", field); !found.empty()) return found;
        return catalog.text("spec", "source", "image", "ref");
    };
    for (const Object& there : kubectl.existing({wanted})) {
        if (content(there) == content(wanted)) continue;
        session.print(fmt::format("{} is there already, with {}\n", there.describe(), content(there)));
        if (options.flow.yes || options.flow.only_shows()) continue;
        if (!can_ask())
            throw RequestError(
                "replacing the content of a catalog must be confirmed, and there is no terminal "
                "to ask on",
                "add --yes, or choose another name");
        if (!confirm(session, fmt::format("Replace it with {}?", content(wanted)))) return decline(session);
    }
    return true;
}

void require_image(const std::string& image) {
    if (const auto spec = PullSpec::parse(image); !spec)
        throw RequestError(fmt::format("\"{}\" is not an image: {}", image, spec.error().message),
                           "write registry.example/catalog:tag, or ...@sha256:...");
}

// Whether to add a catalog of this image: one that does not load keeps OLM classic from resolving anything
// wherever the catalog is seen.
bool may_add(const std::string& image, Olm olm, const CatalogOptions& options, Session& session) {
    if (options.no_check) return true;
    const auto refuse = [&](const std::string& message, const std::string& help) {
        session.print_error(message, help);
        return continues_anyway(options.flow, session);
    };
    std::optional<LoadedCatalog> loaded;
    try {
        if (!names_image(image, session))
            throw Error(
                fmt::format("\"{}\" is a path here, or the name of an image without its registry", image));
        loaded = std::move(
            load_each_reference({image}, session, {.images = options.images, .taken = Taken::catalogs})
                .at(0));
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

void add(const CatalogOptions& options, Session& session) {
    require_name("catalogs", options.name);
    const std::string address = address_in(options);
    if (address.empty()) require_image(options.image);
    const Connection connection = connect(options.cluster, session);
    const Kubectl& kubectl = connection.kubectl;
    const Olm olm = choose(connection.served, options.cluster.wanted_olm());
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
    if (!may_replace(kubectl, object, options, session)) return;
    if (address.empty() && !may_add(image, olm, options, session)) return;
    ObjectChanges changes(kubectl, {object});
    if (options.flow.only_shows()) return show(changes, options.flow, session);
    if (!changes.any()) session.print(object.describe() + " is there already, nothing was changed\n");
    apply(changes, options.flow, session);
    if (options.flow.no_wait) return;
    session.exit_status = follow_catalog(kubectl, olm, ns, options.name, options.flow, session);
    if (session.exit_status != exit_ok && options.flow.clean_up) undo(changes, session);
}

void list(const CatalogOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const Served served = narrowed(connection.served, options.cluster.wanted_olm());
    std::vector<CatalogState> states;
    if (served.classic)
        for (const Object& catalog : connection.kubectl.list(
                 resource::catalog_sources,
                 options.cluster.ns.empty() ? Scope::everywhere() : Scope::in(options.cluster.ns)))
            states.push_back(state_of_catalog_source(catalog, {}));
    if (served.v1)
        for (const Object& catalog : connection.kubectl.list(resource::cluster_catalogs))
            states.push_back(state_of_cluster_catalog(catalog));
    if (options.output == "json") {
        Json json{{"schema", "opcat.catalogs.v1"}, {"catalogs", Json::array()}};
        for (const CatalogState& state : states)
            json["catalogs"].push_back({{"name", state.name},
                                        {"namespace", state.ns},
                                        {"olm", to_string(state.olm)},
                                        {"image", state.image},
                                        {"digest", state.digest},
                                        {"priority", state.priority},
                                        {"health", to_string(state.health)},
                                        {"state", state.word},
                                        {"cause", state.cause}});
        session.out.write(as_document(json));
        return;
    }
    if (states.empty()) {
        session.print("the cluster has no catalogs\n");
        return;
    }
    std::string table = "NAME\tNAMESPACE\tOLM\tPRIORITY\tSTATE\tIMAGE\n";
    for (const CatalogState& state : states)
        table += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", state.name, state.ns.empty() ? "-" : state.ns,
                             to_string(state.olm), state.priority, escape_controls(state.word),
                             escape_controls(state.image));
    session.out.write(table_in_locale(table, session));
    for (const CatalogState& state : states)
        if (!state.cause.empty())
            session.out.write(fmt::format("\n{}: {}\n", state.full_name(), for_terminal(state.cause, 2)));
}

// The catalog of this name, of either OLM.
struct Found {
    Olm olm = Olm::classic;
    Object object;
};

std::vector<Found> find_catalogs(const CatalogOptions& options, const Connection& connection) {
    require_name("catalogs", options.name);
    const auto wanted = options.cluster.wanted_olm();
    std::vector<Found> found;
    if (connection.served.classic && (!wanted || wanted == Olm::classic)) {
        const Scope scope = options.cluster.ns.empty() ? Scope::everywhere() : Scope::in(options.cluster.ns);
        for (Object& catalog : connection.kubectl.list(resource::catalog_sources, scope))
            if (catalog.name == options.name) found.push_back({Olm::classic, std::move(catalog)});
    }
    if (connection.served.v1 && (!wanted || wanted == Olm::v1))
        if (auto catalog = connection.kubectl.get(resource::cluster_catalogs, options.name))
            found.push_back({Olm::v1, std::move(*catalog)});
    if (found.size() > 1)
        throw RequestError(fmt::format("several catalogs are called {}", options.name),
                           "choose with -n NAMESPACE or --olm classic|v1");
    return found;
}

// Who installs from the catalog, as far as the user may see that.
std::vector<std::string> users_of(const Found& found, const Kubectl& kubectl, const Session& session) {
    const auto list = [&](const char* kind, const Scope& scope) {
        try {
            return kubectl.list(kind, scope);
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            session.print_warning(fmt::format("{}: others may install from the catalog", error.what()));
            return std::vector<Object>();
        }
    };
    const auto& [olm, catalog] = found;
    std::vector<std::string> users;
    if (olm == Olm::v1) {
        for (const Object& extension : list(resource::cluster_extensions, Scope::cluster()))
            if (catalog_of(extension) == catalog.name) users.push_back(extension.describe());
        return users;
    }
    std::vector<Object> subscriptions = list(resource::subscriptions, Scope::everywhere());
    if (subscriptions.empty()) subscriptions = list(resource::subscriptions, Scope::in(catalog.ns));
    for (const Object& subscription : subscriptions)
        if (subscription.text("spec", "source") == catalog.name &&
            subscription.text("spec", "sourceNamespace") == catalog.ns)
            users.push_back(subscription.describe());
    return users;
}

void remove(const CatalogOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const std::vector<Found> found = find_catalogs(options, connection);
    if (found.empty()) {
        session.print(fmt::format("catalog {} does not exist: nothing was changed\n", options.name));
        return;
    }
    const auto& [olm, object] = found[0];
    const Kubectl& kubectl = connection.kubectl;
    const std::vector<std::string> users = users_of(found[0], kubectl, session);
    session.print("goes   " + object.describe() + "\n");
    for (const std::string& user : users)
        session.print(fmt::format("  {} installs from it: it runs on, and gets no more updates\n", user));
    if (options.flow.dry_run) return;
    if (!users.empty() && !options.flow.yes) {
        if (!can_ask())
            throw RequestError(
                "removing a catalog that is in use must be confirmed, and there is no terminal to ask on",
                "add --yes");
        if (!confirm(session, "Go on?")) {
            decline(session);
            return;
        }
    }
    if (olm == Olm::classic)
        kubectl.remove(resource::catalog_sources, options.name, Scope::in(object.ns));
    else
        kubectl.remove(resource::cluster_catalogs, options.name, Scope::cluster());
    session.print("deleted " + object.describe() + "\n");
}

// catalogd resolves a tag again after any change of the catalog's spec (docs/spec/cluster.md, OLM v1).
// Nothing else reads the polling interval.
void reread_tag(const Kubectl& kubectl, const Object& catalog) {
    const auto set_poll = [&](Json minutes) {
        kubectl.patch(
            resource::cluster_catalogs, catalog.name, Scope::cluster(),
            object_of({{"spec", {{"source", {{"image", {{"pollIntervalMinutes", std::move(minutes)}}}}}}}})
                .value());
    };
    const int64_t before = catalog.number("spec", "source", "image", "pollIntervalMinutes");
    set_poll(before + 1);
    set_poll(before > 0 ? Json(before) : Json());
}

void refresh(const CatalogOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const std::vector<Found> found = find_catalogs(options, connection);
    if (found.empty())
        throw RequestError(fmt::format("catalog {} does not exist", options.name), "opcat catalog list");
    const auto& [olm, object] = found[0];
    const Kubectl& kubectl = connection.kubectl;
    const std::string ns = object.ns;
    std::function<bool(const Kubectl&)> renewed;
    std::string old_content;
    if (olm == Olm::classic) {
        // OLM recreates the pod, which pulls the image again.
        const std::vector<Object> pods = pods_of(kubectl, ns, options.name);
        if (options.flow.dry_run) {
            for (const Object& pod : pods)
                session.print(pod.describe() + " would be deleted, and made again by OLM\n");
            return;
        }
        old_content = content_of_pods(kubectl, ns, options.name);
        for (const Object& pod : pods) {
            kubectl.remove(resource::pods, pod.name, Scope::in(ns));
            session.print("deleted " + pod.describe() + ": OLM makes it again from the newest image\n");
        }
        if (pods.empty()) session.print(fmt::format("catalog {}/{} has no pod to renew\n", ns, options.name));
        // Until the new pod exists, the CatalogSource shows the state of the old one.
        if (!pods.empty())
            renewed = [pods, &options, ns](const Kubectl& looking) {
                const std::vector<Object> now = pods_of(looking, ns, options.name);
                return std::any_of(now.begin(), now.end(), [&](const Object& pod) {
                    return !pod.is_terminating() && !kube::find_named(pods, pod.name, ns);
                });
            };
    } else {
        if (object.text("spec", "source", "image", "ref").find('@') != std::string::npos) {
            session.print(fmt::format(
                "catalog {} names a digest: there is nothing newer, nothing was changed\n", options.name));
            return;
        }
        if (options.flow.dry_run) {
            session.print(object.describe() +
                          "'s polling interval would be changed and changed back, so that catalogd "
                          "reads its tag again\n");
            return;
        }
        old_content = object.text("status", "resolvedSource", "image", "ref");
        reread_tag(kubectl, object);
        session.print("changed " + object.describe() +
                      " and changed it back: catalogd reads its tag again\n");
    }
    if (options.flow.no_wait) return;
    session.exit_status =
        follow_catalog(kubectl, olm, ns, options.name, options.flow, session, renewed, old_content);
}

} // namespace

void add_catalog(Command tree, Session& session) {
    const Command command =
        tree.add_command("catalog", "Add, list, remove and refresh the catalogs of a cluster");
    command.needs_command();
    command.footer("Examples:\n"
                   "  opcat catalog list\n"
                   "  opcat catalog add community registry.example/catalog:v1 --poll 30m");

    const auto adding = std::make_shared<CatalogOptions>();
    Command one = command.add_command("add", "Add a catalog and wait until it is served");
    one.add_option("NAME", adding->name, "Its name on the cluster").required();
    one.add_option(
           "IMAGE", adding->image,
           "The catalog's image; with OLM classic also address:HOST:PORT of a registry that runs already")
        .required();
    one.add_option("--image-template", adding->image_template,
                   "OLM classic: the image by the cluster's version, with {kube_major_version}, "
                   "{kube_minor_version}, {kube_patch_version}")
        .value_name("TEMPLATE");
    one.add_option("--priority", adding->priority,
                   "Priority of the catalog if several have a package; the highest wins");
    one.add_option("--poll", adding->poll, "How often to look for a newer image").duration();
    add_cluster_flags(one, adding->cluster, true, "where all namespaces see it");
    add_flow_flags(one, adding->flow);
    add_making_flags(one, adding->flow);
    one.add_flag("--no-check", adding->no_check, "Do not pull and validate the image before it is added");
    add_image_flags(one, adding->images);
    one.footer("A catalog that cannot be served keeps OLM classic from resolving anything where it is seen. "
               "Therefore the image is pulled and validated first.\n\n"
               "Examples:\n"
               "  opcat catalog add community registry.example/catalog:v1 --poll 30m\n"
               "  opcat catalog add team registry.example/team:v1 -n shop --priority 10 --dry-run\n"
               "  opcat catalog add local address:registry.shop.svc:50051 -n shop");
    one.callback([adding, &session] { add(*adding, session); });

    const auto listing = std::make_shared<CatalogOptions>();
    one = command.add_command("list", "List the catalogs, and whether they are served");
    add_cluster_flags(one, listing->cluster, true, "all");
    one.add_option("-o,--output", listing->output, "table or json").one_of({"table", "json"}).show_default();
    one.footer("Example:\n  opcat catalog list");
    one.callback([listing, &session] { list(*listing, session); });

    const auto removing = std::make_shared<CatalogOptions>();
    one = command.add_command("remove", "Remove a catalog");
    one.add_option("NAME", removing->name, "Its name on the cluster").required();
    add_cluster_flags(one, removing->cluster, true, "all");
    add_flow_flags(one, removing->flow);
    one.footer(
        "Operators that were installed from it keep running.\n\nExample:\n  opcat catalog remove community");
    one.callback([removing, &session] { remove(*removing, session); });

    const auto refreshing = std::make_shared<CatalogOptions>();
    one = command.add_command("refresh", "Make the cluster look for a newer image of a catalog now");
    one.add_option("NAME", refreshing->name, "Its name on the cluster").required();
    add_cluster_flags(one, refreshing->cluster, true, "all");
    add_flow_flags(one, refreshing->flow);
    one.footer("Example:\n  opcat catalog refresh community");
    one.callback([refreshing, &session] { refresh(*refreshing, session); });
}

} // namespace opcat
