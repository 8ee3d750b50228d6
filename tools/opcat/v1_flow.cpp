#include "v1_flow.hpp"

#include "cluster/crd_safety.hpp"
#include "cluster/plain_set.hpp"
#include "cluster/resources.hpp"
#include "cluster/v1_state.hpp"
#include "cluster_text.hpp"
#include "references.hpp"
#include "session.hpp"
#include "signals.hpp"
#include "step_display.hpp"
#include "support/error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>

namespace opcat {

using namespace cluster;

int follow_v1(const Kubectl& kubectl, const std::string& name, const std::string& bundle,
              const FlowFlags& flags, Session& session) {
    bool may_see = true;
    const auto look = [&] {
        const auto extension = kubectl.get(resource::cluster_extensions, name);
        if (!extension) throw Error(fmt::format("ClusterExtension {} is gone", name));
        std::vector<Json> deployments;
        std::vector<Json> pods;
        const std::string ns = text(*extension, {"spec", "namespace"});
        try {
            if (may_see) {
                deployments = kubectl.list(resource::deployments, Scope::in(ns),
                                           std::string(owner_name_label) + "=" + name);
                for (const Json& deployment : deployments)
                    if (!availability_of(deployment).available) {
                        pods = kubectl.list(resource::pods, Scope::in(ns));
                        break;
                    }
            }
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            may_see = false;
        }
        return state_of_extension(*extension, deployments, pods);
    };
    Waited waited;
    {
        StepDisplay steps(session);
        const auto on_look = [&](const OperatorState& state) {
            const std::string step =
                state.health == Health::ready ? state.installed + ": installed, waiting whether it lasts"
                : state.health == Health::failing && state.stage.empty() ? "trouble: " + state.cause
                : state.stage == "retrying"                              ? "OLM tries again: " + state.cause
                                                                         : state.stage;
            say_when_interrupted(
                fmt::format("interrupted: {} was at \"{}\"; the cluster goes on by itself, nothing "
                            "was undone; look with: opcat status {}",
                            name, step, name));
            steps.show(step);
        };
        // What was expected may be out of date: it is not waited for for ever.
        constexpr auto longest_wait_for_goal = std::chrono::seconds(30);
        std::optional<std::chrono::steady_clock::time_point> ready_since;
        const auto is_end = [&](const OperatorState& state) {
            if (state.health != Health::ready || bundle.empty() || state.installed == bundle) return true;
            const auto now = std::chrono::steady_clock::now();
            if (!ready_since) ready_since = now;
            return now - *ready_since > longest_wait_for_goal;
        };
        waited = wait_for(look, is_end, on_look, flags.wait());
        steps.end(!waited.timed_out && waited.state.health == Health::ready);
    }
    say_when_interrupted("");
    if (waited.timed_out || waited.state.health != Health::ready) {
        report_failure(kubectl, waited, flags, session);
        return exit_findings;
    }
    session.print(fmt::format("{} {} is installed and ready in namespace {}\n", waited.state.package,
                              waited.state.version, waited.state.ns));
    for (const std::string& deprecation : waited.state.deprecations)
        session.print_warning("deprecated: " + for_terminal(deprecation, 4));
    if (bundle.empty() || bundle == waited.state.installed) return exit_ok;
    session.print_warning(
        fmt::format("{} was expected, and OLM stays at {}", bundle, waited.state.installed));
    return exit_findings;
}

void nudge(const Kubectl& kubectl, const std::string& extension) {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
    kubectl.patch(resource::cluster_extensions, extension, Scope::cluster(),
                  {{"metadata", {{"annotations", {{"opcat/nudged", std::to_string(now.count())}}}}}});
}

namespace {

std::vector<olmv1::Choice> way_of(const V1Outlook& outlook) {
    constexpr size_t longest = 10;
    std::vector<olmv1::Choice> way;
    olmv1::Request request = outlook.request;
    std::optional<olmv1::Choice> next = outlook.resolution.choice;
    while (next && way.size() < longest &&
           (way.empty() || next->bundle->name() != way.back().bundle->name())) {
        way.push_back(*next);
        request.installed =
            olmv1::InstalledBundle{std::string(next->bundle->name()), next->version, next->release};
        next = olmv1::resolve(request, outlook.catalogs.named()).choice;
    }
    return way;
}

// Whose a CustomResourceDefinition is that the extension cannot have; empty if it can.
std::string other_owner(const Json& crd, const std::string& extension) {
    const std::string owner = label(crd, owner_name_label);
    if (owner == extension) return {};
    if (!owner.empty()) return "of ClusterExtension " + owner;
    if (label(crd, "olm.managed") == "true") return "of an operator of OLM classic";
    if (!label(crd, set_label).empty()) return "of an operator without OLM";
    return "nobody's that OLM v1 knows";
}

// The definition as the cluster has it after an upgrade: versions that were stored once stay in its status.
Json upgraded(const Json& before, const Json& wanted) {
    Json after = wanted;
    std::vector<std::string> stored = strings(before, {"status", "storedVersions"});
    for (const Json& version : array(wanted, {"spec", "versions"}))
        if (const std::string name = text(version, {"name"});
            flag(version, {"storage"}) && std::find(stored.begin(), stored.end(), name) == stored.end())
            stored.push_back(name);
    after["status"]["storedVersions"] = std::move(stored);
    return after;
}

// What keeps OLM from putting the definitions of the bundles on the way on the cluster. Throws Error if a
// bundle cannot be had.
std::vector<std::string> definition_problems(const V1Outlook& outlook,
                                             const std::vector<olmv1::Choice>& way) {
    std::map<std::string, Json> definitions;
    std::vector<std::string> problems;
    for (const olmv1::Choice& step : way) {
        const bool later = &step != &way.front();
        for (const Json& crd : outlook.catalogs.content_of(*step.bundle->bundle).crds) {
            const std::string name = name_of(crd);
            if (!definitions.contains(name))
                if (auto there = outlook.kubectl.get(resource::crds, name)) {
                    if (const std::string owner = other_owner(*there, outlook.extension); !owner.empty())
                        problems.push_back(fmt::format("CustomResourceDefinition '{}' already exists and "
                                                       "cannot be managed by operator-controller: it is {}",
                                                       name, owner));
                    else
                        definitions.emplace(name, std::move(*there));
                }
            const auto before = definitions.find(name);
            if (before != definitions.end())
                for (const std::string& danger : crd_dangers(before->second, crd))
                    problems.push_back(fmt::format(
                        "{}validating upgrade for CRD \"{}\": {}",
                        later ? fmt::format("on the way, at {}: ", step.bundle->name()) : "", name, danger));
            definitions[name] = upgraded(before == definitions.end() ? Json() : before->second, crd);
        }
        if (!problems.empty()) break;
    }
    return problems;
}

} // namespace

std::optional<Json> find_extension(const Kubectl& kubectl, const std::string& package) {
    auto named = kubectl.get(resource::cluster_extensions, package);
    if (named && package_of(*named) == package) return named;
    for (Json& extension : kubectl.list(resource::cluster_extensions))
        if (package_of(extension) == package) return std::move(extension);
    return named;
}

std::string package_of(const Json& extension) {
    return text(extension, {"spec", "source", "catalog", "packageName"});
}

std::optional<olmv1::InstalledBundle> installed_of(const Json& extension) {
    const std::string name = text(extension, {"status", "install", "bundle", "name"});
    if (name.empty()) return std::nullopt;
    return olmv1::InstalledBundle{name, text(extension, {"status", "install", "bundle", "version"}),
                                  std::nullopt};
}

std::vector<Json> objects_on(const ForetoldWay& way, const V1Catalogs& catalogs,
                             const RenderOptions& options) {
    std::vector<Json> objects;
    for (const olmv1::Choice& step : way.steps)
        for (Json& object : render_bundle(catalogs.content_of(*step.bundle->bundle), options))
            objects.push_back(std::move(object));
    return objects;
}

std::optional<ForetoldWay> foretell_v1(const V1Outlook& outlook, const FlowFlags& flags, Session& session) {
    std::vector<olmv1::Choice> way = way_of(outlook);
    std::vector<std::string> problems;
    std::string unknown;
    try {
        problems = definition_problems(outlook, way);
    } catch (const Error& error) {
        unknown = error.what();
    }
    bool good = print_v1_prediction(outlook.request, outlook.catalogs, outlook.resolution, way,
                                    problems.empty(), session);
    if (!unknown.empty() && !session.options.quiet)
        session.print("  note: what the bundle changes of CustomResourceDefinitions is not known: " +
                      for_terminal(unknown, 4) + "\n");
    for (const std::string& problem : problems)
        session.print_error("OLM will not do it: " + for_terminal(problem, 2));
    good = good && problems.empty();
    if (good || flags.force) {
        const std::string end = way.empty() || !good ? "" : std::string(way.back().bundle->name());
        return ForetoldWay{std::move(way), end};
    }
    session.print("nothing was changed; --force goes on nevertheless\n");
    session.exit_status = exit_findings;
    return std::nullopt;
}

} // namespace opcat
