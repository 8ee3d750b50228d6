// Operators of OLM classic, on their way.
#pragma once

#include "cluster/survey.hpp"
#include "cluster_flow.hpp"

#include <string>

namespace opcat {

// All that matters to the operators of a namespace, catalogs of other namespaces as far as they may be seen.
cluster::ClassicObjects read_classic(const cluster::Kubectl& kubectl, const std::string& ns);

// The Subscription of a package. Throws UsageError if the namespace has none.
const cluster::Json& require_subscription(const cluster::ClassicObjects& objects, const std::string& package,
                                          const std::string& ns);

struct ClassicGoal {
    std::string package;
    std::string ns;
    std::string csv = {};     // where it is to end; empty: wherever OLM ends
    std::string version = {}; // of it, as far as known: no step beyond it is approved
    bool approve = false;     // InstallPlans, after asking
    bool one_step = false;    // approve no more than one
};

// Follows the Subscription of the package to its goal, and approves InstallPlans on the way. Says how it
// ended and returns the exit status.
int follow_classic(const cluster::Kubectl& kubectl, const ClassicGoal& goal, const FlowFlags& flags,
                   Session& session);

// Shows what approval of a plan means, asks, and approves it. False if the user does not want it, or cannot
// be asked.
bool approve_plan(const cluster::Kubectl& kubectl, const cluster::Json& plan, const FlowFlags& flags,
                  Session& session);

} // namespace opcat
