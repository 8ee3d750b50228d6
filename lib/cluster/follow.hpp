// Follows an operator until it is installed or upgraded, or clearly will not be.
#pragma once

#include "opcat/base/clock.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace opcat::cluster {

// ---- waiting until a state is reached and has lasted

struct WaitOptions {
    std::chrono::milliseconds timeout = std::chrono::minutes(10);
    std::chrono::milliseconds interval = std::chrono::seconds(1); // between two looks
    Clock clock = {};
};

struct Waited {
    OperatorState state;    // the last
    bool timed_out = false; // before anything that counts
    std::string trouble;    // why the last looks failed; empty if they did not
};

// Looks repeatedly until a state has lasted long enough to count and `is_end` accepts it. For a while, looks
// may fail because the server is not available. `on_look` is called with the state after each look. Throws
// KubectlError for failures that last, or that a retry would not repair.
Waited wait_for(const std::function<OperatorState()>& look,
                const std::function<bool(const OperatorState&)>& is_end,
                const std::function<void(const OperatorState&)>& on_look, const WaitOptions& options);

// When to believe a state of the cluster: not at once (docs/spec/cluster.md, section 4, no. 4).
class StateDebouncer {
public:
    using Time = Clock::Time;

    // A state as seen at `now`, not before the time of the last call. True if health, reason and the
    // installed version have been the same for long enough to count.
    bool is_stable(const OperatorState& state, Time now);

    // The same for any key, with its own duration.
    bool is_stable(const std::string& key, std::chrono::milliseconds hold, Time now);

private:
    std::string key_;
    Time since_;
};

// Waits until `gone` returns true; false if it has not by the deadline.
bool wait_until(const std::function<bool()>& gone, const WaitOptions& options);

// ---- following

// The effect of approving an InstallPlan.
struct PlanContent {
    struct Operator {
        std::string csv;
        std::string package;  // empty: unknown
        std::string replaces; // the installed CSV that it replaces; empty: none
        bool operator==(const Operator&) const = default;
    };
    std::string name;
    std::string ns;
    std::vector<Operator> operators;
    std::map<std::string, std::vector<std::string>> objects; // names by kind, CSVs among them
    bool operator==(const PlanContent&) const = default;
};

PlanContent content_of_plan(const Object& plan);
// Throws KubectlError, and Error if the InstallPlan has another content now.
void approve_plan(const Kubectl& kubectl, const PlanContent& plan);

// Returns true if the InstallPlan's step to `csv` leads beyond a version. False if the version is empty or
// unknown.
bool goes_beyond(const Object& plan, const std::string& csv, const std::string& version);

// Output and decisions of the caller during the wait. Each may be empty.
struct FollowCallbacks {
    // After each look at the operator.
    std::function<void(const OperatorState&)> on_state;
    // After the last look of a wait; there are several waits if InstallPlans are approved in between.
    std::function<void(bool good)> on_wait_end;
    // Returns true to approve an InstallPlan that the operator waits for. Empty: never.
    std::function<bool(const PlanContent&)> may_approve;
    std::function<void(const PlanContent&)> on_approved;
    // After OLM classic was asked to resolve again, because its last attempt failed for a cause that is gone
    // now: OLM does not retry by itself.
    std::function<void(const std::string& why)> on_nudged;
};

struct FollowResult {
    enum class End : uint8_t {
        ready,            // installed and running, and what was expected
        unexpected,       // installed and running, but not what was expected
        failed,           // fails, or did not finish in time
        ready_next_waits, // the expected bundle is installed and running; the next upgrade waits for approval
        step_done,        // one step was approved and is done; the next one waits for approval
        beyond_goal,      // the InstallPlan that waits goes beyond the requested version
        waits             // waits for an approval that was not given
    };
    End end = End::failed;
    Waited waited;
};

struct ClassicGoal {
    std::string package;
    std::string ns;
    std::string csv = {};     // the expected last bundle; empty: any
    std::string version = {}; // of it, if known: no InstallPlan beyond it is approved
    bool one_step = false;    // approve one InstallPlan at most
    bool resolves = false;    // the prediction is that OLM resolves without a failure
};

// Follows the Subscription of the package. Throws KubectlError, and Error if the Subscription disappears.
FollowResult follow_classic(const Kubectl& kubectl, const ClassicGoal& goal, const WaitOptions& options,
                            const FollowCallbacks& callbacks);

// Follows a ClusterExtension. `bundle` is the expected last one; empty: any. Throws KubectlError, and Error
// if the extension disappears.
FollowResult follow_v1(const Kubectl& kubectl, const std::string& extension, const std::string& bundle,
                       const WaitOptions& options, const FollowCallbacks& callbacks);

// Follows the Deployments of an operator without OLM (plain_set.hpp). Throws KubectlError.
FollowResult follow_set(const Kubectl& kubectl, const std::string& set, const std::string& ns,
                        const WaitOptions& options, const FollowCallbacks& callbacks);

// Makes OLM v1 retry at once: its back-off grows up to a quarter of an hour. Throws KubectlError.
void retry_now(const Kubectl& kubectl, const std::string& extension);

} // namespace opcat::cluster
