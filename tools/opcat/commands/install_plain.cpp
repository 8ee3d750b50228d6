#include "cluster/objects.hpp"
#include "cluster/plain_set.hpp"
#include "cluster/registry_v1.hpp"
#include "cluster/resources.hpp"
#include "cluster_changes.hpp"
#include "cluster_flow.hpp"
#include "install.hpp"
#include "references.hpp"
#include "resolve/v1/resolver.hpp"
#include "session.hpp"
#include "signals.hpp"
#include "step_display.hpp"
#include "support/error.hpp"
#include "v1_prediction.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

using namespace cluster;

namespace {

struct Chosen {
    std::string package;
    BundleContent content;
};

// A bundle by itself, or what OLM v1 would choose of a catalog.
Chosen choose_bundle(const InstallOptions& options, Session& session) {
    if (options.catalog.empty()) {
        const LoadedCatalog loaded =
            load_references({options.package}, session, {.image_template = {}, .images = options.images});
        if (loaded.catalog.bundles.size() != 1)
            throw UsageError(fmt::format("{} is not one bundle", options.package),
                             "name a bundle (directory or image), or a package and --catalog REF");
        const Bundle& bundle = loaded.catalog.bundles.front();
        return {std::string(bundle.package.text), content_of(bundle, options.images, session)};
    }
    LoadedCatalog loaded =
        load_references({options.catalog}, session, {.image_template = {}, .images = options.images});
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
    return {options.package, content_of(*resolution.choice->bundle->bundle, options.images, session)};
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

int follow_set(const Kubectl& kubectl, const std::string& set, const std::string& ns, const FlowFlags& flags,
               Session& session) {
    OperatorState last;
    const auto look = [&] {
        OperatorState state;
        state.olm = Olm::none;
        state.name = state.package = set;
        state.ns = ns;
        state.health = Health::ready; // a set without Deployments is as it should be
        for (OperatorState& found : states_of_sets(
                 kubectl.list(resource::deployments, Scope::in(ns), std::string(set_label) + "=" + set)))
            state = std::move(found);
        return state;
    };
    say_when_interrupted(
        fmt::format("interrupted: the objects of {} were applied; look with: opcat status {}", set, set));
    StepDisplay steps(session);
    const Waited waited = wait_for(
        look, [](const OperatorState&) { return true; },
        [&](const OperatorState& state) {
            steps.show(state.health == Health::ready ? "all Deployments are available" : state.stage);
        },
        flags.wait());
    steps.end(!waited.timed_out);
    say_when_interrupted("");
    if (waited.timed_out) {
        report_failure(kubectl, waited, flags, session);
        return exit_findings;
    }
    session.print(
        fmt::format("{} {} is installed and ready in namespace {}\n", set, waited.state.version, ns));
    return exit_ok;
}

} // namespace

void install_plain(const InstallOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    const Chosen chosen = choose_bundle(options, session);
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
    Changes definitions(kubectl, std::move(crds));
    if (options.flow.only_shows()) {
        definitions.show(options.flow, session);
        Changes(kubectl, std::move(others)).show(options.flow, session);
        if (options.flow.output.empty())
            for (const Json& object : goes)
                session.out.write(fmt::format("---\n# {} would be deleted\n", describe(object)));
        return;
    }
    definitions.carry_out(options.flow, session);
    Changes rest(kubectl, std::move(others));
    if (!definitions.any() && !rest.any() && goes.empty())
        session.print("all objects are there already, nothing was changed\n");
    try {
        rest.carry_out(options.flow, session);
        kubectl.remove_objects(goes);
        for (const Json& object : goes) session.print("deleted " + describe(object) + "\n");
    } catch (const Error&) {
        if (options.flow.clean_up) definitions.undo(session);
        throw;
    }
    if (options.flow.no_wait) return;
    session.exit_status = follow_set(kubectl, chosen.package, connection.ns, options.flow, session);
    if (session.exit_status != exit_ok && options.flow.clean_up) {
        rest.undo(session);
        definitions.undo(session);
    }
}

} // namespace opcat
