// What commands that change a cluster share: their flags, the list of steps, the changes.
#pragma once

#include "cluster/operator_state.hpp"
#include "cluster/wait.hpp"
#include "cluster_flags.hpp"

#include <chrono>
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
    std::string output; // yaml, json: the objects alone

    cluster::WaitOptions wait() const;
    bool only_shows() const { return dry_run || !output.empty(); }
};

// --timeout, --no-wait, --yes, --dry-run.
void add_flow_flags(Command command, FlowFlags& flags);
// --force, --cleanup-on-failure, --force-conflicts, -o: for commands that make objects.
void add_making_flags(Command command, FlowFlags& flags);

// The steps of something that takes its time: on a terminal a list with the time each took, the last of which
// is alive; else a line for each.
class StepDisplay {
public:
    explicit StepDisplay(const Session& session) : session_(session) {}
    ~StepDisplay() { end(false); }
    StepDisplay(const StepDisplay&) = delete;
    StepDisplay& operator=(const StepDisplay&) = delete;

    // What is being done now. Saying the same again moves the clock.
    void show(const std::string& step);
    void end(bool good);

private:
    void draw(char mark, bool final);

    const Session& session_;
    std::string step_;
    std::chrono::steady_clock::time_point since_;
    unsigned turns_ = 0;
};

// Of some objects that of the same kind, namespace and name; nullptr if there is none.
const cluster::Json* counterpart(const std::vector<cluster::Json>& objects, const cluster::Json& object);

// Objects that are to be as told.
class Changes {
public:
    // Compares them with the cluster's, which is not changed. Throws KubectlError.
    Changes(const cluster::Kubectl& kubectl, std::vector<cluster::Json> wanted);

    bool any() const { return !create_.empty() || !change_.empty(); }
    const std::vector<cluster::Json>& wanted() const { return wanted_; }
    // Creates or changes.
    bool touches(std::string_view kind) const;

    // For --dry-run and -o.
    void show(const FlowFlags& flags, Session& session) const;
    // Applies what is not as wanted, and names it. What a call that failed has created is deleted again with
    // --cleanup-on-failure.
    void carry_out(const FlowFlags& flags, const Session& session);
    // Deletes what was created, and nothing else.
    void undo(const Session& session) const;

private:
    void drop_what_stays(const std::vector<cluster::Json>& existing);

    const cluster::Kubectl& kubectl_;
    std::vector<cluster::Json> wanted_;
    std::vector<cluster::Json> create_;
    std::vector<cluster::Json> change_;
    std::vector<cluster::Json> created_;
};

// The causes of a failure, in one report on standard error.
void report_failure(const cluster::Kubectl& kubectl, const cluster::Waited& waited, const FlowFlags& flags,
                    const Session& session);

// Throws Error if the namespace is being deleted. False if there is none.
bool require_usable_namespace(const cluster::Kubectl& kubectl, const std::string& ns);

// Text of a cluster as it may reach a terminal: control characters are escaped, lines after the first
// indented.
std::string for_terminal(const std::string& text, unsigned indent);

} // namespace opcat
