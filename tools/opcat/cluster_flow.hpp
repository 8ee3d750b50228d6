// What commands that change a cluster share: their flags, what they need, how they fail.
#pragma once

#include "cluster/operator_state.hpp"
#include "cluster/wait.hpp"
#include "cluster_flags.hpp"

#include <string>

namespace opcat {

struct FlowFlags {
    std::string timeout = "10m";
    bool no_wait = false;
    bool yes = false;
    bool force = false;
    bool dry_run = false;
    bool clean_up = false;
    bool force_conflicts = false;
    std::string output; // yaml, json: the objects alone

    cluster::WaitOptions wait() const;
    bool only_shows() const { return dry_run || !output.empty(); }
};

// --timeout, --no-wait, --yes, --dry-run.
void add_flow_flags(Command command, FlowFlags& flags);
// --force, --cleanup-on-failure, --force-conflicts, -o: for commands that make objects.
void add_making_flags(Command command, FlowFlags& flags);

// The causes of a failure, in one report on standard error.
void report_failure(const cluster::Kubectl& kubectl, const cluster::Waited& waited, const FlowFlags& flags,
                    const Session& session);

// Throws Error if the namespace is being deleted. False if there is none.
bool require_usable_namespace(const cluster::Kubectl& kubectl, const std::string& ns);

} // namespace opcat
