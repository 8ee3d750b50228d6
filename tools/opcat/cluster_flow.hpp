// Common parts of commands that change a cluster: their flags and their output.
#pragma once

#include "catalog_options.hpp"
#include "cluster_flags.hpp"
#include "form.hpp"
#include "opcat/cluster/changes.hpp"
#include "opcat/cluster/field_owners.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/prediction.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/cluster/v1_install.hpp"

#include <span>
#include <string>
#include <vector>

namespace opcat {

struct FlowFlags {
    std::string timeout = "10m";
    bool no_wait = false;
    bool yes = false;
    bool force = false;
    bool dry_run = false;
    bool clean_up = false;
    bool force_conflicts = false;
    std::optional<Form> output; // yaml, json: the objects alone

    cluster::WaitOptions wait() const;
    bool only_shows() const { return dry_run || output; }
};

// --timeout, --no-wait, --yes, --dry-run.
void add_flow_flags(Command command, FlowFlags& flags);
// --force, --cleanup-on-failure, --force-conflicts, -o: for commands that create objects.
void add_making_flags(Command command, FlowFlags& flags);

// --force-conflicts, for commands that patch what exists.
void add_conflict_flag(Command command, FlowFlags& flags);

// Throws Error, unless with --force-conflicts: a patch would take the fields silently, and their manager
// would set them back.
void require_undeclared(const std::vector<cluster::DeclaredField>& declared, const cluster::Object& object,
                        const FlowFlags& flags);
// Throws what a merge patch would fail with: the user may not do it, or others declare its fields. Read-only.
void require_patch(const cluster::Kubectl& kubectl, const cluster::Object& object,
                   const cluster::Object& patch, const FlowFlags& flags);

// How predictions read catalogs. `images` and `session` must outlive it.
cluster::CatalogAccess catalog_access(const ImageFlags& images, Session& session);
// The same for OLM classic, where what cannot be pulled is read from the cluster. `kubectl` must outlive it,
// too.
cluster::CatalogAccess catalog_access(const ImageFlags& images, Session& session,
                                      const cluster::Kubectl& kubectl);

// What the registry of a CatalogSource serves, in the file-based format, through a forwarded port. Throws
// Error.
std::string read_served(const cluster::Kubectl& kubectl, const cluster::Object& catalog_source,
                        std::span<const cluster::Object> pods = {});

void print(const cluster::ClassicPrediction& prediction, const Session& session);

// For a change that OLM would refuse: true with --force. Otherwise says that nothing was changed, and sets
// the exit status.
bool continues_anyway(const FlowFlags& flags, Session& session);

// Prints the prediction. False, with the exit status set, if OLM would refuse and --force was not given.
bool print_and_go_on(const cluster::V1Question& question, const FlowFlags& flags, Session& session);

// Prints which rights the installing account lacks, or why that is unknown. False, with the exit status set,
// if some are missing and --force was not given. `help`: what to do about it.
bool has_rights(const cluster::AccountRights& rights, const std::string& account, const std::string& help,
                const FlowFlags& flags, Session& session);

// For --dry-run and -o.
void show(const cluster::ObjectChanges& changes, const FlowFlags& flags, Session& session);
// Makes the changes and names them. With --cleanup-on-failure, objects that a failed call has created are
// deleted.
void apply(cluster::ObjectChanges& changes, const FlowFlags& flags, const Session& session);
void undo(const cluster::ObjectChanges& changes, const Session& session);

// Shows the effect of approving a plan, and asks. False if the user declines, or cannot be asked.
bool may_approve(const cluster::PlanContent& plan, const FlowFlags& flags, const Session& session);
void approve(const cluster::Kubectl& kubectl, const cluster::PlanContent& plan, const Session& session);

// The InstallPlan that waits leads to `next`, beyond the requested version.
void print_beyond(const std::string& next, const std::string& version, const Session& session);

// OLM classic was asked to resolve again.
void print_nudged(const std::string& why, const Session& session);

// These show the steps of an operator and the result, and return the exit status. `approve`: ask for approval
// of InstallPlans.
int follow_classic(const cluster::Kubectl& kubectl, const cluster::ClassicGoal& goal, bool approve,
                   const FlowFlags& flags, Session& session);
int follow_v1(const cluster::Kubectl& kubectl, const std::string& extension, const std::string& bundle,
              const FlowFlags& flags, Session& session);
int follow_set(const cluster::Kubectl& kubectl, const std::string& set, const std::string& ns,
               const FlowFlags& flags, Session& session);

// What --self-certified means for the future of a ClusterExtension that keeps it.
void print_stays_self_certified(const std::string& extension, const Session& session);

} // namespace opcat
