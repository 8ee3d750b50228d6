#include "opcat/cluster/follow.hpp"

#include "opcat/base/error.hpp"
#include "opcat/cluster/classic_state.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/resolution_failure.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <optional>
#include <set>

namespace opcat::cluster {
namespace {

using End = FollowResult::End;

// The end of a wait for an expected state. The expectation may be outdated, so a ready operator is not
// watched forever.
class Expectation {
public:
    Expectation(std::string expected, std::chrono::seconds patience, const Clock& clock)
        : expected_(std::move(expected)), patience_(patience), clock_(clock) {}

    bool is_end(const OperatorState& state) {
        if (state.health != Health::ready || is_met(state)) return true;
        const Clock::Time now = clock_.now();
        if (!ready_since_) ready_since_ = now;
        return now - *ready_since_ > patience_;
    }
    bool is_met(const OperatorState& state) const {
        return expected_.empty() || state.installed == expected_;
    }

private:
    std::string expected_;
    std::chrono::seconds patience_;
    const Clock& clock_;
    std::optional<Clock::Time> ready_since_;
};

// The state of a Subscription, with the pods of its Deployments if it takes long.
class SubscriptionReader {
public:
    SubscriptionReader(const Kubectl& kubectl, const ClassicGoal& goal) : kubectl_(kubectl), goal_(goal) {}

    OperatorState read() {
        objects_ = list_classic(kubectl_, Scope::in(goal_.ns), optional_kinds_);
        const Object* const subscription = objects_.subscription_of(goal_.package, goal_.ns);
        if (!subscription)
            throw Error(
                fmt::format("the Subscription of {} in namespace {} is gone", goal_.package, goal_.ns));
        OperatorState state = state_of_subscription(objects_, *subscription);
        constexpr int looks_without_pods = 8;
        if (state.health == Health::working && ++looks_ > looks_without_pods && may_see_pods_) {
            try {
                const Object kept = *subscription; // adding objects may move it
                objects_.add(kubectl_.list(resource::pods, Scope::in(goal_.ns)));
                state = state_of_subscription(objects_, kept);
            } catch (const KubectlError&) {
                may_see_pods_ = false;
            }
        }
        return state;
    }

    // The plan of the last look's state, which comes from the same objects.
    const Object& plan(const std::string& name) const {
        const auto found = std::find_if(objects_.plans.begin(), objects_.plans.end(),
                                        [&](const Object& plan) { return plan.name == name; });
        assert(found != objects_.plans.end());
        return *found;
    }

private:
    const Kubectl& kubectl_;
    const ClassicGoal& goal_;
    std::vector<const char*> optional_kinds_ = optional_classic_kinds(); // that the user may list
    ClassicObjects objects_;
    int looks_ = 0;
    bool may_see_pods_ = true;
};

// The same for a ClusterExtension.
class ExtensionReader {
public:
    ExtensionReader(const Kubectl& kubectl, const std::string& name) : kubectl_(kubectl), name_(name) {}

    OperatorState read() {
        const auto extension = kubectl_.get(resource::cluster_extensions, name_);
        if (!extension) throw Error(fmt::format("ClusterExtension {} is gone", name_));
        std::vector<Object> deployments;
        std::vector<Object> pods;
        const std::string ns(extension->text("spec", "namespace"));
        try {
            if (may_see_) {
                deployments = kubectl_.list(resource::deployments, Scope::in(ns),
                                            std::string(owner_name_label) + "=" + name_);
                for (const Object& deployment : deployments)
                    if (!availability_of(deployment).available) {
                        pods = kubectl_.list(resource::pods, Scope::in(ns));
                        break;
                    }
            }
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            may_see_ = false;
        }
        return state_of_extension(*extension, deployments, pods);
    }

private:
    const Kubectl& kubectl_;
    const std::string& name_;
    bool may_see_ = true;
};

void on_state(const FollowCallbacks& callbacks, const OperatorState& state) {
    if (callbacks.on_state) callbacks.on_state(state);
}

void on_wait_end(const FollowCallbacks& callbacks, bool good) {
    if (callbacks.on_wait_end) callbacks.on_wait_end(good);
}

} // namespace

bool goes_beyond(const Object& plan, const std::string& csv, const std::string& version) {
    const auto goal_version = semver::Version::parse(version);
    const auto next_version = semver::Version::parse(bundles_in_plan(plan)[csv].version);
    return goal_version && next_version && *next_version > *goal_version;
}

PlanContent content_of_plan(const Object& plan) {
    PlanContent content;
    content.name = plan.name;
    content.ns = plan.ns;
    auto bundles = bundles_in_plan(plan);
    for (const std::string& csv : plan.strings("spec", "clusterServiceVersionNames"))
        content.operators.push_back({csv, bundles[csv].package, bundles[csv].replaces});
    for (const Fields step : plan.items("status", "plan"))
        content.objects[std::string(step.text("resource", "kind"))].emplace_back(
            step.text("resource", "name"));
    return content;
}

void approve_plan(const Kubectl& kubectl, const PlanContent& plan) {
    // Somebody has read it, and may have taken a while.
    const auto now = kubectl.get(resource::install_plans, plan.name, Scope::in(plan.ns));
    if (!now || content_of_plan(*now) != plan)
        throw Error(fmt::format("InstallPlan {}/{} is not approved: it {} since it was shown", plan.ns,
                                plan.name, now ? "has been changed" : "is gone"),
                    "run the command again: it shows what waits now");
    kubectl.patch(resource::install_plans, plan.name, Scope::in(plan.ns),
                  object_of({{"metadata", {{"resourceVersion", now->text("metadata", "resourceVersion")}}},
                             {"spec", {{"approved", true}}}})
                      .value());
}

namespace {

// Makes OLM classic resolve again where its failure is stale, and what it reports until then is not counted.
class Nudging {
public:
    Nudging(const Kubectl& kubectl, const ClassicGoal& goal, const Clock& clock,
            const FollowCallbacks& callbacks)
        : kubectl_(kubectl), goal_(goal), clock_(clock), callbacks_(callbacks) {}

    OperatorState judged(OperatorState state) {
        const bool fails = state.reason == "resolution-failed";
        if (!fails && state.stale_resolution.empty() && !state.waits_for_catalog) {
            failed_since_.reset();
            return state;
        }
        const Clock::Time now = clock_.now();
        if (!failed_since_) failed_since_ = now;
        if (nudged_at_ && now - *nudged_at_ < patience) return waiting(std::move(state));
        // Catalogs of all namespaces decide, which the usual look does not read.
        const ClassicObjects objects = read_classic(kubectl_, goal_.ns);
        const Object* const subscription = objects.subscription_of(goal_.package, goal_.ns);
        if (!subscription) return state;
        state = state_of_subscription(objects, *subscription);
        std::string why = state.stale_resolution;
        // OLM's transient failures are over sooner.
        constexpr auto transient = std::chrono::seconds(8);
        if (why.empty() && state.reason == "resolution-failed" && goal_.resolves && nudges_ == 0 &&
            subscription->condition("ResolutionFailed").reason == "ConstraintsNotSatisfiable" &&
            now - *failed_since_ > transient)
            why = "opcat resolves the same objects without a failure";
        if (why.empty() || nudges_ == most_nudges) return state;
        resolve_again(kubectl_, *subscription);
        nudged_at_ = now;
        ++nudges_;
        if (callbacks_.on_nudged) callbacks_.on_nudged(why);
        return waiting(std::move(state));
    }

private:
    // OLM needs about 20 seconds.
    static constexpr auto patience = std::chrono::seconds(60);
    static constexpr int most_nudges = 2;

    static OperatorState waiting(OperatorState state) {
        if (state.reason == "resolution-failed") {
            state.health = Health::working;
            state.reason.clear();
            state.stage = "waiting for OLM to resolve again";
        }
        return state;
    }

    const Kubectl& kubectl_;
    const ClassicGoal& goal_;
    const Clock& clock_;
    const FollowCallbacks& callbacks_;
    std::optional<Clock::Time> failed_since_;
    std::optional<Clock::Time> nudged_at_;
    int nudges_ = 0;
};

} // namespace

FollowResult follow_classic(const Kubectl& kubectl, const ClassicGoal& goal, const WaitOptions& options,
                            const FollowCallbacks& callbacks) {
    const Kubectl looking = kubectl.without_patience();
    SubscriptionReader reader(looking, goal);
    Nudging nudging(looking, goal, options.clock, callbacks);
    std::set<std::string> approved;
    const Clock::Time deadline = options.clock.now() + options.timeout;
    for (;;) {
        Expectation expectation(goal.csv, std::chrono::seconds(60), options.clock);
        const auto is_end = [&](const OperatorState& state) {
            return state.health == Health::waits ? !approved.contains(state.plan) : expectation.is_end(state);
        };
        WaitOptions rest = options;
        rest.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - options.clock.now());
        const auto look = [&] { return nudging.judged(reader.read()); };
        Waited waited = wait_for(
            look, is_end, [&](const OperatorState& state) { on_state(callbacks, state); }, rest);
        const OperatorState& state = waited.state;
        on_wait_end(callbacks, !waited.timed_out && state.health != Health::failing);
        const auto end = [&](End how) { return FollowResult{how, std::move(waited)}; };
        // Ready with another version than expected is not a failure, however long the wait was.
        if (state.health == Health::failing || (waited.timed_out && state.health != Health::ready))
            return end(End::failed);
        if (state.health == Health::ready)
            return end(expectation.is_met(state) ? End::ready : End::unexpected);
        // It waits for approval. The target may be installed already.
        if (!goal.csv.empty() && state.installed == goal.csv && state.running)
            return end(End::ready_next_waits);
        if (goal.one_step && !approved.empty() && state.running) return end(End::step_done);
        if (!callbacks.may_approve) return end(End::waits);
        const Object& plan = reader.plan(state.plan);
        if (goes_beyond(plan, state.next, goal.version)) return end(End::beyond_goal);
        const PlanContent content = content_of_plan(plan);
        if (!callbacks.may_approve(content)) return end(End::waits);
        approve_plan(kubectl, content);
        if (callbacks.on_approved) callbacks.on_approved(content);
        approved.insert(state.plan);
    }
}

FollowResult follow_v1(const Kubectl& kubectl, const std::string& extension, const std::string& bundle,
                       const WaitOptions& options, const FollowCallbacks& callbacks) {
    const Kubectl looking = kubectl.without_patience();
    ExtensionReader reader(looking, extension);
    Expectation expectation(bundle, std::chrono::seconds(30), options.clock);
    Waited waited = wait_for([&] { return reader.read(); },
                             [&](const OperatorState& state) { return expectation.is_end(state); },
                             [&](const OperatorState& state) { on_state(callbacks, state); }, options);
    const bool ready = !waited.timed_out && waited.state.health == Health::ready;
    on_wait_end(callbacks, ready);
    const End end = !ready ? End::failed : expectation.is_met(waited.state) ? End::ready : End::unexpected;
    return {end, std::move(waited)};
}

FollowResult follow_set(const Kubectl& kubectl, const std::string& set, const std::string& ns,
                        const WaitOptions& options, const FollowCallbacks& callbacks) {
    const Kubectl looking = kubectl.without_patience();
    const auto read = [&] {
        OperatorState state;
        state.olm = Olm::none;
        state.name = state.package = set;
        state.ns = ns;
        state.health = Health::ready; // a set without Deployments is as it should be
        for (OperatorState& found : states_of_sets(
                 looking.list(resource::deployments, Scope::in(ns), std::string(set_label) + "=" + set)))
            state = std::move(found);
        return state;
    };
    Waited waited = wait_for(
        read, [](const OperatorState&) { return true; },
        [&](const OperatorState& state) { on_state(callbacks, state); }, options);
    on_wait_end(callbacks, !waited.timed_out);
    return {waited.timed_out ? End::failed : End::ready, std::move(waited)};
}

void retry_now(const Kubectl& kubectl, const std::string& extension) {
    kubectl.patch(resource::cluster_extensions, extension, Scope::cluster(), nudge().value());
}

namespace {

// A restarting server is unavailable for a minute or so.
constexpr auto longest_outage = std::chrono::seconds(90);

class OutageTolerance {
public:
    explicit OutageTolerance(const Clock& clock) : clock_(clock) {}

    // Returns true if this failure is no reason to stop.
    bool tolerates(const KubectlError& error) {
        if (!error.failure().may_pass()) return false;
        const Clock::Time now = clock_.now();
        if (!since_) since_ = now;
        return now - *since_ < longest_outage;
    }
    void reset() { since_.reset(); }

private:
    const Clock& clock_;
    std::optional<Clock::Time> since_;
};

} // namespace

bool StateDebouncer::is_stable(const OperatorState& state, Time now) {
    if (state.health == Health::working) {
        key_.clear();
        return false;
    }
    // The same state with another duration is different evidence.
    const std::string key = fmt::format("{} {} {} {} {}", to_string(state.health), state.reason,
                                        state.installed, state.next, state.hold.count());
    return is_stable(key, state.hold, now);
}

bool StateDebouncer::is_stable(const std::string& key, std::chrono::milliseconds hold, Time now) {
    if (key != key_ || key_.empty()) {
        key_ = key;
        since_ = now;
    }
    return now - since_ >= hold;
}

Waited wait_for(const std::function<OperatorState()>& look,
                const std::function<bool(const OperatorState&)>& is_end,
                const std::function<void(const OperatorState&)>& on_look, const WaitOptions& options) {
    const Clock::Time deadline = options.clock.now() + options.timeout;
    StateDebouncer debouncer;
    OutageTolerance tolerance(options.clock);
    Waited waited;
    for (;;) {
        try {
            waited.state = look();
            waited.trouble.clear();
            tolerance.reset();
            on_look(waited.state);
            if (debouncer.is_stable(waited.state, options.clock.now()) && is_end(waited.state)) return waited;
        } catch (const KubectlError& error) {
            if (!tolerance.tolerates(error)) throw;
            waited.trouble = error.what();
        }
        if (options.clock.now() + options.interval > deadline) {
            waited.timed_out = true;
            return waited;
        }
        options.clock.sleep(options.interval);
    }
}

bool wait_until(const std::function<bool()>& gone, const WaitOptions& options) {
    const Clock::Time deadline = options.clock.now() + options.timeout;
    OutageTolerance tolerance(options.clock);
    for (;;) {
        try {
            if (gone()) return true;
            tolerance.reset();
        } catch (const KubectlError& error) {
            if (!tolerance.tolerates(error)) throw;
        }
        if (options.clock.now() + options.interval > deadline) return false;
        options.clock.sleep(options.interval);
    }
}

} // namespace opcat::cluster
