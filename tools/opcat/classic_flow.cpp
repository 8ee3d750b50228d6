#include "classic_flow.hpp"

#include "cluster/resources.hpp"
#include "cluster_text.hpp"
#include "semver/version.hpp"
#include "session.hpp"
#include "signals.hpp"
#include "step_display.hpp"
#include "support/error.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <set>

namespace opcat {

using namespace cluster;

ClassicObjects read_classic(const Kubectl& kubectl, const std::string& ns) {
    ClassicObjects objects;
    objects.add(list_classic(kubectl, Scope::in(ns)));
    try {
        std::vector<Json> elsewhere = kubectl.list(resource::catalog_sources, Scope::everywhere());
        std::erase_if(elsewhere, [&](const Json& catalog) { return namespace_of(catalog) == ns; });
        objects.add(std::move(elsewhere));
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
    }
    return objects;
}

const Json& require_subscription(const ClassicObjects& objects, const std::string& package,
                                 const std::string& ns) {
    if (const Json* const subscription = objects.subscription_of(package, ns)) return *subscription;
    throw UsageError(fmt::format("namespace {} has no Subscription for {}", ns, package),
                     "choose the namespace with -n; opcat status lists what is installed");
}

namespace {

// The state of one operator, with the pods of its Deployments once it takes long.
class Look {
public:
    Look(const Kubectl& kubectl, const ClassicGoal& goal) : kubectl_(kubectl), goal_(goal) {}

    OperatorState operator()() {
        objects = {};
        objects.add(list_classic(kubectl_, Scope::in(goal_.ns)));
        const Json* const subscription = objects.subscription_of(goal_.package, goal_.ns);
        if (!subscription)
            throw Error(
                fmt::format("the Subscription of {} in namespace {} is gone", goal_.package, goal_.ns));
        OperatorState state = state_of_subscription(objects, *subscription);
        constexpr int patient_looks = 8;
        if (state.health == Health::working && ++looks_ > patient_looks && may_see_pods_) {
            try {
                objects.add(kubectl_.list(resource::pods, Scope::in(goal_.ns)));
                state = state_of_subscription(objects, *subscription);
            } catch (const KubectlError&) {
                may_see_pods_ = false;
            }
        }
        return state;
    }

    ClassicObjects objects;

private:
    const Kubectl& kubectl_;
    const ClassicGoal& goal_;
    int looks_ = 0;
    bool may_see_pods_ = true;
};

std::string step_words(const OperatorState& state) {
    switch (state.health) {
    case Health::ready:
        return state.stage.empty() ? state.installed + ": Succeeded, waiting whether it lasts"
                                   : state.installed + ": Succeeded, " + state.stage;
    case Health::waits:
        return state.cause;
    case Health::failing:
        return state.stage.empty() ? "trouble: " + state.cause : state.stage;
    case Health::working:
        return state.stage;
    }
    return {};
}

void interruption(const ClassicGoal& goal, const OperatorState& state) {
    const std::string where = state.stage.empty() ? std::string(to_string(state.health)) : state.stage;
    say_when_interrupted(fmt::format(
        "interrupted: {} in namespace {} was at \"{}\"; the cluster goes on by itself, nothing was "
        "undone; look with: opcat status {} -n {}",
        goal.package, goal.ns, where, goal.package, goal.ns));
}

// Whether the plan's step for the operator is a higher version than what was asked for.
bool goes_beyond(const Json& plan, const std::string& csv, const ClassicGoal& goal) {
    const auto goal_version = semver::Version::parse(goal.version);
    const auto next_version = semver::Version::parse(version_in_plan(plan, csv));
    return goal_version && next_version && *next_version > *goal_version;
}

const Json* find_plan(const ClassicObjects& objects, const std::string& name) {
    for (const Json& plan : objects.plans)
        if (name_of(plan) == name) return &plan;
    return nullptr;
}

} // namespace

bool approve_plan(const Kubectl& kubectl, const Json& plan, const FlowFlags& flags, Session& session) {
    const std::string name = name_of(plan);
    const std::string ns = namespace_of(plan);
    std::string text = fmt::format("InstallPlan {} would\n", name);
    for (const std::string& csv : strings(plan, {"spec", "clusterServiceVersionNames"})) {
        std::string replaced;
        for (const Json& lookup : array(plan, {"status", "bundleLookups"}))
            if (cluster::text(lookup, {"identifier"}) == csv) replaced = cluster::text(lookup, {"replaces"});
        const std::string package = package_in_plan(plan, csv);
        text +=
            fmt::format("  install {}{}{}\n", csv, package.empty() ? "" : " (package " + package + ")",
                        replaced.empty() ? "" : ", which replaces " + replaced + " where that is installed");
    }
    std::map<std::string, std::vector<std::string>> kinds;
    for (const Json& step : array(plan, {"status", "plan"}))
        kinds[cluster::text(step, {"resource", "kind"})].push_back(cluster::text(step, {"resource", "name"}));
    for (const auto& [kind, names] : kinds) {
        if (kind == "ClusterServiceVersion") continue;
        text += fmt::format("  apply {} {}", names.size(), kind);
        constexpr size_t most = 3;
        for (size_t i = 0; i < names.size() && i < most; ++i) text += (i > 0 ? ", " : ": ") + names[i];
        text += names.size() > most ? ", ...\n" : "\n";
    }
    session.print(for_terminal(text, 0) + "\n");
    if (flags.dry_run) return false;
    if (!flags.yes) {
        if (!can_ask()) return false;
        if (!confirm(session, "Approve all of it?")) return false;
    }
    kubectl.patch(resource::install_plans, name, Scope::in(ns), {{"spec", {{"approved", true}}}});
    session.print(fmt::format("approved InstallPlan {}/{}\n", ns, name));
    return true;
}

int follow_classic(const Kubectl& kubectl, const ClassicGoal& goal, const FlowFlags& flags,
                   Session& session) {
    using Clock = std::chrono::steady_clock;
    Look look(kubectl, goal);
    std::set<std::string> approved;
    WaitOptions options = flags.wait();
    const auto deadline = Clock::now() + options.timeout;
    for (;;) {
        // What was expected may be out of date: it is not waited for for ever.
        constexpr auto longest_wait_for_goal = std::chrono::seconds(60);
        std::optional<Clock::time_point> ready_since;
        const auto is_end = [&](const OperatorState& state) {
            if (state.health == Health::waits) return !approved.contains(state.plan);
            if (state.health != Health::ready || goal.csv.empty() || state.installed == goal.csv) return true;
            if (!ready_since) ready_since = Clock::now();
            return Clock::now() - *ready_since > longest_wait_for_goal;
        };
        Waited waited;
        {
            StepDisplay steps(session);
            const auto on_look = [&](const OperatorState& state) {
                interruption(goal, state);
                steps.show(step_words(state));
            };
            options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
            waited = wait_for(std::ref(look), is_end, on_look, options);
            steps.end(!waited.timed_out && waited.state.health != Health::failing);
        }
        say_when_interrupted("");
        const OperatorState& state = waited.state;
        // Ready, and short of what was expected, is told below, however long it was waited for.
        const bool unfinished = waited.timed_out && state.health != Health::ready;
        if (unfinished || state.health == Health::failing) {
            report_failure(kubectl, waited, flags, session);
            return exit_findings;
        }
        if (state.health == Health::ready) {
            session.print(fmt::format("{} {} is installed and ready in namespace {}\n", goal.package,
                                      state.version, goal.ns));
            for (const std::string& deprecation : state.deprecations)
                session.print_warning("deprecated: " + for_terminal(deprecation, 4));
            if (goal.csv.empty() || goal.csv == state.installed) return exit_ok;
            session.print_warning(
                fmt::format("{} was expected, and OLM stays at {}", goal.csv, state.installed));
            return exit_findings;
        }
        // It waits for approval. What was to be reached may be there already.
        if (!goal.csv.empty() && state.installed == goal.csv && state.running) {
            session.print(
                fmt::format("{} {} is installed and ready in namespace {}; an upgrade to {} waits for "
                            "approval\n",
                            goal.package, state.version, goal.ns, state.next));
            return exit_ok;
        }
        if (goal.one_step && !approved.empty() && state.running) {
            session.print(
                fmt::format("{} {} is installed and ready in namespace {}; the next step, {}, waits "
                            "for approval\n",
                            goal.package, state.version, goal.ns, state.next));
            return exit_ok;
        }
        const Json* const plan = find_plan(look.objects, state.plan);
        if (plan && goal.approve && goes_beyond(*plan, state.next, goal)) {
            session.print_error(
                fmt::format("the step that waits leads to {}, beyond {}: nothing was approved", state.next,
                            goal.version),
                "the catalog's channel has no way that ends there");
            return exit_findings;
        }
        if (plan && goal.approve && approve_plan(kubectl, *plan, flags, session)) {
            approved.insert(state.plan);
            continue;
        }
        session.print(
            fmt::format("InstallPlan {} waits for approval of {}; to approve it: opcat approve {} -n {}\n",
                        state.plan, state.next, goal.package, goal.ns));
        return exit_ok;
    }
}

} // namespace opcat
