#include "v1_flow.hpp"

#include "cluster/crd_safety.hpp"
#include "cluster/resources.hpp"
#include "cluster/v1_state.hpp"
#include "references.hpp"
#include "session.hpp"
#include "signals.hpp"
#include "support/error.hpp"

#include <nlohmann/json.hpp>

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
        const auto is_end = [&](const OperatorState& state) {
            return state.health != Health::ready || bundle.empty() || state.installed == bundle;
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
    return exit_ok;
}

void nudge(const Kubectl& kubectl, const std::string& extension) {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
    kubectl.patch(resource::cluster_extensions, extension, Scope::cluster(),
                  {{"metadata", {{"annotations", {{"opcat/nudged", std::to_string(now.count())}}}}}});
}

namespace {

std::vector<std::string> crd_problems(const Kubectl& kubectl, const BundleContent& content,
                                      const std::string& extension) {
    std::vector<std::string> problems;
    for (const Json& crd : content.crds) {
        const auto there = kubectl.get(resource::crds, name_of(crd));
        if (!there) continue;
        const std::string owner = label(*there, owner_name_label);
        if (owner != extension) {
            problems.push_back(fmt::format(
                "CustomResourceDefinition '{}' already exists and cannot be managed by operator-controller: "
                "it is {}",
                name_of(crd),
                !owner.empty()                           ? "of ClusterExtension " + owner
                : label(*there, "olm.managed") == "true" ? std::string("of an operator of OLM classic")
                : !label(*there, "opcat/set").empty()    ? std::string("of an operator without OLM")
                                                         : std::string("nobody's that OLM v1 knows")));
            continue;
        }
        for (const std::string& danger : crd_dangers(*there, crd))
            problems.push_back(fmt::format("validating upgrade for CRD \"{}\": {}", name_of(crd), danger));
    }
    return problems;
}

// True if nothing stands in the way, as far as that can be seen from here.
bool check_definitions(const Kubectl& kubectl, const std::string& extension, const Bundle& bundle,
                       const V1Catalogs& catalogs, const Session& session) {
    std::vector<std::string> problems;
    try {
        problems = crd_problems(kubectl, catalogs.content_of(bundle), extension);
    } catch (const Error& error) {
        if (!session.options.quiet)
            session.print("  note: what the bundle changes of CustomResourceDefinitions is not known: " +
                          for_terminal(error.what(), 4) + "\n");
        return true;
    }
    for (const std::string& problem : problems)
        session.print_error("OLM will not do it: " + for_terminal(problem, 2));
    return problems.empty();
}

} // namespace

std::optional<Json> find_extension(const Kubectl& kubectl, const std::string& package) {
    if (auto named = kubectl.get(resource::cluster_extensions, package)) return named;
    for (Json& extension : kubectl.list(resource::cluster_extensions))
        if (text(extension, {"spec", "source", "catalog", "packageName"}) == package)
            return std::move(extension);
    return std::nullopt;
}

std::optional<olmv1::InstalledBundle> installed_of(const Json& extension) {
    const std::string name = text(extension, {"status", "install", "bundle", "name"});
    if (name.empty()) return std::nullopt;
    return olmv1::InstalledBundle{name, text(extension, {"status", "install", "bundle", "version"}),
                                  std::nullopt};
}

bool foretell_v1(const V1Outlook& outlook, const FlowFlags& flags, Session& session) {
    bool good = print_v1_prediction(outlook.request, outlook.catalogs, outlook.resolution, session);
    if (const auto& choice = outlook.resolution.choice)
        good = check_definitions(outlook.kubectl, outlook.extension, *choice->bundle->bundle,
                                 outlook.catalogs, session) &&
               good;
    if (good || flags.force) return true;
    session.print("nothing was changed; --force goes on nevertheless\n");
    session.exit_status = exit_findings;
    return false;
}

} // namespace opcat
