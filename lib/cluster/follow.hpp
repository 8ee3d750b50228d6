// Following an operator until it is installed, upgraded, or clearly will not be.
#pragma once

#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace opcat::cluster {

// ---- waiting until a state is reached, and has lasted

struct WaitOptions {
    std::chrono::milliseconds timeout = std::chrono::minutes(10);
    std::chrono::milliseconds interval = std::chrono::seconds(1); // between two looks
};

struct Waited {
    OperatorState state;    // the last
    bool timed_out = false; // before anything that counts
    std::string trouble;    // what kept the last looks from succeeding; empty if nothing did
};

// Looks again and again until a state has lasted long enough to count and `is_end` says so. Looks that fail
// because the server is not available just then are passed over for a while. `on_look` is called after each
// look with its state. Throws KubectlError for failures that another try would not mend, or that last.
Waited wait_for(const std::function<OperatorState()>& look,
                const std::function<bool(const OperatorState&)>& is_end,
                const std::function<void(const OperatorState&)>& on_look, const WaitOptions& options);

// When to believe what a cluster says: not at once (docs/spec/cluster.md, section 4, no. 4).
class StateDebouncer {
public:
    using Time = std::chrono::steady_clock::time_point;

    // A state as seen at `now`, not before the time of the last call. True if it has been so, as to health,
    // reason and what is installed, for as long as it must be to count.
    bool is_stable(const OperatorState& state, Time now);

    // The same for anything that has a key and a time to hold.
    bool is_stable(const std::string& key, std::chrono::milliseconds hold, Time now);

private:
    std::string key_;
    Time since_;
};

// Waits until `gone` answers true; false if it has not by the time that is given.
bool wait_until(const std::function<bool()>& gone, const WaitOptions& options);

// ---- following

// What approval of an InstallPlan does.
struct PlanContent {
    struct Operator {
        std::string csv;
        std::string package;  // empty: unknown
        std::string replaces; // the CSV that it replaces where that is installed; empty: none
    };
    std::string name;
    std::string ns;
    std::vector<Operator> operators;
    std::map<std::string, std::vector<std::string>> objects; // names by kind, CSVs among them
};

PlanContent content_of_plan(const Object& plan);
// Throws KubectlError.
void approve_plan(const Kubectl& kubectl, const PlanContent& plan);

// What a caller shows and decides meanwhile. Each of them may be empty.
struct FollowCallbacks {
    // After each look at the operator.
    std::function<void(const OperatorState&)> on_state;
    // After the last look of a wait, of which there are several if InstallPlans are approved in between.
    std::function<void(bool good)> on_wait_end;
    // Whether an InstallPlan may be approved that the operator waits for. Empty: none is.
    std::function<bool(const PlanContent&)> may_approve;
    std::function<void(const PlanContent&)> on_approved;
    // After OLM classic has been asked to resolve again, because its last attempt failed for a catalog that
    // is ready or gone now: it does not try again by itself.
    std::function<void()> on_nudged;
};

struct FollowResult {
    enum class End : uint8_t {
        ready,            // installed and running, and what was expected
        unexpected,       // installed and running, but not what was expected
        failed,           // fails, or was not done in time
        ready_next_waits, // what was expected is installed and running; the next upgrade waits for approval
        step_done,        // one step was approved and is done; the next one waits for approval
        beyond_goal,      // the InstallPlan that waits leads beyond the version that was asked for
        waits             // for an approval that was not given
    };
    End end = End::failed;
    Waited waited;
};

struct ClassicGoal {
    std::string package;
    std::string ns;
    std::string csv = {};     // expected in the end; empty: any
    std::string version = {}; // of it, if known: no InstallPlan that leads beyond it is approved
    bool one_step = false;    // approve one InstallPlan at most
};

// Follows the Subscription of the package. Throws KubectlError, and Error if the Subscription vanishes.
FollowResult follow_classic(const Kubectl& kubectl, const ClassicGoal& goal, const WaitOptions& options,
                            const FollowCallbacks& callbacks);

// Follows a ClusterExtension. `bundle` is expected in the end; empty: any. Throws KubectlError, and Error if
// the extension vanishes.
FollowResult follow_v1(const Kubectl& kubectl, const std::string& extension, const std::string& bundle,
                       const WaitOptions& options, const FollowCallbacks& callbacks);

// Follows the Deployments of an operator without OLM (plain_set.hpp). Throws KubectlError.
FollowResult follow_set(const Kubectl& kubectl, const std::string& set, const std::string& ns,
                        const WaitOptions& options, const FollowCallbacks& callbacks);

// Makes OLM v1 try again now what has failed: its pauses grow up to a quarter of an hour. Throws
// KubectlError.
void retry_now(const Kubectl& kubectl, const std::string& extension);

} // namespace opcat::cluster
