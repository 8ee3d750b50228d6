#include "commands/catalog.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/state.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace opcat {
namespace {

using namespace cluster;

void list(const CatalogOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const Served served = narrowed(connection.served, options.cluster.olm);
    std::vector<CatalogState> states;
    if (served.classic)
        for (const Object& catalog : connection.kubectl.list(
                 resource::catalog_sources,
                 options.cluster.ns.empty() ? Scope::everywhere() : Scope::in(options.cluster.ns)))
            states.push_back(state_of_catalog_source(catalog, {}));
    if (served.v1)
        for (const Object& catalog : connection.kubectl.list(resource::cluster_catalogs))
            states.push_back(state_of_cluster_catalog(catalog));
    if (options.only_available)
        std::erase_if(states, [](const CatalogState& state) { return !state.is_served(); });
    if (options.output == Form::json) {
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
        session.print(options.only_available ? "the cluster serves no catalog\n"
                                             : "the cluster has no catalogs\n");
        return;
    }
    std::string table = "NAME\tNAMESPACE\tOLM\tPRIORITY\tSTATE\tIMAGE\n";
    for (const CatalogState& state : states)
        table += escape_controls(state.name) + "\t" + escape_controls(state.ns.empty() ? "-" : state.ns) +
                 fmt::format("\t{}\t{}\t{}\t{}\n", to_string(state.olm), state.priority,
                             escape_controls(state.word), escape_controls(state.image));
    session.out.write(table_in_locale(table, session));
    for (const CatalogState& state : states)
        if (!state.cause.empty())
            session.out.write(
                fmt::format("\n{}: {}\n", escape_controls(state.full_name()), for_terminal(state.cause, 2)));
}

} // namespace

std::vector<FoundCatalog> find_catalogs(const CatalogOptions& options, const Connection& connection) {
    require_name("catalogs", options.name);
    const auto wanted = options.cluster.olm;
    std::vector<FoundCatalog> found;
    if (connection.served.classic && (!wanted || wanted == Olm::classic)) {
        const Scope scope = options.cluster.ns.empty() ? Scope::everywhere() : Scope::in(options.cluster.ns);
        for (Object& catalog : connection.kubectl.list(resource::catalog_sources, scope))
            if (catalog.name == options.name) found.push_back({Olm::classic, std::move(catalog)});
    }
    // Only CatalogSources are in a namespace.
    if (connection.served.v1 && (wanted == Olm::v1 || (!wanted && options.cluster.ns.empty())))
        if (auto catalog = connection.kubectl.get(resource::cluster_catalogs, options.name))
            found.push_back({Olm::v1, std::move(*catalog)});
    if (found.size() > 1)
        throw RequestError(fmt::format("several catalogs are called {}", options.name),
                           "choose with -n NAMESPACE or --olm classic|v1");
    return found;
}

namespace {

bool is_there(const FoundCatalog& found, const Kubectl& kubectl) {
    const Object& catalog = found.object;
    const auto now = found.olm == Olm::classic
                         ? kubectl.get(resource::catalog_sources, catalog.name, Scope::in(catalog.ns))
                         : kubectl.get(resource::cluster_catalogs, catalog.name, Scope::cluster());
    return now && now->text("metadata", "uid") == catalog.text("metadata", "uid");
}

} // namespace

void require_same(const FoundCatalog& found, const Kubectl& kubectl) {
    if (!is_there(found, kubectl))
        throw Error(
            fmt::format("{} was deleted or replaced meanwhile: nothing was changed", found.object.describe()),
            "run the command again: it shows what there is now");
}

namespace {

// Waits until it is gone: a finalizer may keep it.
void wait_until_gone(const Kubectl& kubectl, const FoundCatalog& found, const FlowFlags& flow) {
    const Object& catalog = found.object;
    const bool is_gone = wait_until([&] { return !is_there(found, kubectl); }, flow.wait());
    if (!is_gone)
        throw Error(fmt::format("{} is not gone within {}", catalog.describe(), flow.timeout),
                    "its finalizers say what the cluster waits for: kubectl get -o yaml");
}

void remove(const CatalogOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const std::vector<FoundCatalog> found = find_catalogs(options, connection);
    if (found.empty()) {
        session.print(fmt::format("catalog {} does not exist: nothing was changed\n", options.name));
        return;
    }
    const auto& [olm, object] = found[0];
    const Kubectl& kubectl = connection.kubectl;
    const CatalogUsers users = users_of(found[0], CatalogChange::removed, kubectl, session);
    session.print("goes   " + object.describe() + "\n");
    for (const std::string& sentence : users.sentences) session.print("  " + sentence + "\n");
    kubectl.require_right("delete", object, object.name);
    if (options.flow.dry_run || !may_change(users, "removing", options.flow, session)) return;
    require_same(found[0], kubectl);
    if (olm == Olm::classic)
        kubectl.remove(resource::catalog_sources, options.name, Scope::in(object.ns));
    else
        kubectl.remove(resource::cluster_catalogs, options.name, Scope::cluster());
    if (!options.flow.no_wait) wait_until_gone(kubectl, found[0], options.flow);
    session.print(options.flow.no_wait ? fmt::format("the deletion of {} was requested\n", object.describe())
                                       : fmt::format("deleted {}\n", object.describe()));
}

// catalogd resolves a tag again after any change of the catalog's spec (docs/spec/cluster.md, OLM v1).
// Nothing else reads the polling interval.
Object polling_patch(Json minutes) {
    return object_of({{"spec", {{"source", {{"image", {{"pollIntervalMinutes", std::move(minutes)}}}}}}}});
}

int64_t polling_interval(const Object& catalog) {
    return catalog.number("spec", "source", "image", "pollIntervalMinutes");
}

void reread_tag(const Kubectl& kubectl, const Object& catalog) {
    const int64_t before = polling_interval(catalog);
    const Object back = polling_patch(before > 0 ? Json(before) : Json());
    const std::string left =
        fmt::format("pollIntervalMinutes of {} is {} now, and was {} before", catalog.describe(), before + 1,
                    before > 0 ? fmt::format("{}", before) : "not set");
    const std::string help =
        fmt::format("kubectl patch {} {} --type merge -p '{}' changes it back", resource::cluster_catalogs,
                    catalog.name, kube::to_text(back.value()));
    const auto change = [&](const Object& patch) {
        kubectl.patch(resource::cluster_catalogs, catalog.name, Scope::cluster(), patch.value());
    };
    change(polling_patch(before + 1));
    say_when_interrupted(fmt::format("interrupted: {}; {}", left, help));
    constexpr int attempts = 3;
    for (int attempt = 1;; ++attempt) {
        try {
            change(back);
            break;
        } catch (const KubectlError& error) {
            if (attempt == attempts) throw Error(fmt::format("{}: {}", left, error.what()), help);
        }
    }
    say_when_interrupted("");
}

void refresh(const CatalogOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const std::vector<FoundCatalog> found = find_catalogs(options, connection);
    if (found.empty())
        throw RequestError(fmt::format("catalog {} does not exist", options.name), "opcat catalog list");
    const auto& [olm, object] = found[0];
    const Kubectl& kubectl = connection.kubectl;
    const std::string ns = object.ns;
    Renewed renewed;
    std::string old_content;
    if (olm == Olm::classic) {
        // OLM recreates the pod, which pulls the image again.
        const std::vector<Object> pods = pods_of(kubectl, ns, options.name);
        if (pods.empty() && object.text("spec", "image").empty())
            throw RequestError(fmt::format(
                "catalog {}/{} has no image: its registry runs elsewhere, and nothing was changed", ns,
                options.name));
        if (pods.empty())
            session.print(fmt::format("catalog {}/{} has no pod: OLM makes one, from the newest image\n", ns,
                                      options.name));
        if (!pods.empty()) kubectl.require_right("delete", pods.front(), pods.front().name);
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
        if (!pods.empty()) renewed = has_new_pod(pods, ns, options.name);
    } else {
        if (!require_enabled(object, session)) return;
        if (object.text("spec", "source", "image", "ref").find('@') != std::string::npos) {
            session.print(fmt::format(
                "catalog {} names a digest: there is nothing newer, nothing was changed\n", options.name));
            return;
        }
        require_patch(kubectl, object, polling_patch(polling_interval(object) + 1), options.flow);
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
        tree.add_command("catalog", "Add, list, remove, refresh and disable the catalogs of a cluster");
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
    one.add_option("--image-template TEMPLATE", adding->image_template,
                   "OLM classic: the image by the cluster's version, with {kube_major_version}, "
                   "{kube_minor_version}, {kube_patch_version}");
    one.add_option("--priority", adding->priority,
                   "Priority of the catalog if several have a package; the highest wins");
    one.add_option("--poll", adding->poll, "How often to look for a newer image").duration();
    add_cluster_flags(one, adding->cluster, true, "where all namespaces see it");
    add_flow_flags(one, adding->flow);
    add_making_flags(one, adding->flow);
    one.add_flag("--no-check", adding->no_check, "Do not pull and validate the image before it is added");
    add_image_flags(one, adding->images);
    one.footer("A catalog that cannot be served keeps OLM classic from resolving anything where it is seen. "
               "So opcat pulls and validates the image first.\n\n"
               "Examples:\n"
               "  opcat catalog add community registry.example/catalog:v1 --poll 30m\n"
               "  opcat catalog add team registry.example/team:v1 -n shop --priority 10 --dry-run\n"
               "  opcat catalog add local address:registry.shop.svc:50051 -n shop");
    one.callback([adding, &session] { add_one_catalog(*adding, session); });

    const auto listing = std::make_shared<CatalogOptions>();
    one = command.add_command("list", "List the catalogs, and whether they are served");
    add_cluster_flags(one, listing->cluster, true, "all");
    one.add_choice("-o,--output", listing->output, {Form::table, Form::json}, "table or json").show_default();
    one.add_flag("--available", listing->only_available,
                 "Only those from which operators can be installed now");
    one.footer("Examples:\n  opcat catalog list\n  opcat catalog list --available");
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
    add_conflict_flag(one, refreshing->flow);
    one.footer("Example:\n  opcat catalog refresh community");
    one.callback([refreshing, &session] { refresh(*refreshing, session); });

    const auto switching = [&](const char* name, const char* summary, const char* footer, bool available) {
        const auto switched = std::make_shared<CatalogOptions>();
        Command other = command.add_command(name, summary);
        other.add_option("NAME", switched->name, "Its name on the cluster").required();
        add_cluster_flags(other, switched->cluster, true, "all");
        add_flow_flags(other, switched->flow);
        add_conflict_flag(other, switched->flow);
        other.footer(footer);
        other.callback([switched, available, &session] { set_availability(*switched, available, session); });
    };
    switching("disable", "OLM v1: stop serving a catalog, without removing it",
              "Operators that were installed from it keep running, and get no upgrades from it.\n\n"
              "Example:\n  opcat catalog disable community",
              false);
    switching("enable", "OLM v1: serve a catalog again", "Example:\n  opcat catalog enable community", true);
}

} // namespace opcat
