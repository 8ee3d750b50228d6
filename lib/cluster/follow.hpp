// Following an operator until it is installed, upgraded, or clearly will not be.
#pragma once

#include "cluster/kubectl.hpp"
#include "cluster/wait.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace opcat::cluster {

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

PlanContent content_of_plan(const Json& plan);
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
