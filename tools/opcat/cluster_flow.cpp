#include "cluster_flow.hpp"

#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/port_forward.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/status_report.hpp"
#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/semver/version.hpp"
#include "opcat/serve/registry_client.hpp"
#include "references.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace opcat {

using namespace cluster;

WaitOptions FlowFlags::wait() const {
    return {.timeout = *duration_of(timeout), .interval = std::chrono::seconds(1)};
}

void add_flow_flags(Command command, FlowFlags& flags) {
    command.add_option("--timeout", flags.timeout, "How long to wait for the cluster")
        .duration()
        .show_default();
    command.add_flag("--no-wait", flags.no_wait, "Do not wait until it is done");
    command.add_flag("-y,--yes", flags.yes, "Answer questions with yes");
    command.add_flag("--dry-run", flags.dry_run, "Change nothing, show what would be done");
}

void add_making_flags(Command command, FlowFlags& flags) {
    command.add_flag("--force", flags.force, "Continue although the prediction is that it fails");
    command.add_flag("--cleanup-on-failure", flags.clean_up, "If the command fails, delete what it created");
    command.add_flag("--force-conflicts", flags.force_conflicts,
                     "Take over fields that another manager owns");
    command.add_choice("-o,--output", flags.output, {Form::yaml, Form::json},
                       "Only print the objects and change nothing: yaml or json");
}

void add_conflict_flag(Command command, FlowFlags& flags) {
    command.add_flag("--force-conflicts", flags.force_conflicts,
                     "Change fields that another manager declares");
}

void require_undeclared(const std::vector<DeclaredField>& declared, const Object& object,
                        const FlowFlags& flags) {
    if (declared.empty() || flags.force_conflicts) return;
    throw Error(fmt::format("cannot change {}: {} declares {}, and would set it back", object.describe(),
                            declared.front().manager, declared.front().field),
                "change it there; --force-conflicts changes it here");
}

void require_patch(const Kubectl& kubectl, const Object& object, const Object& patch,
                   const FlowFlags& flags) {
    std::vector<DeclaredField> declared;
    kubectl.together({[&] { kubectl.require_right("patch", object, object.name); },
                      [&] { declared = declared_by_others(kubectl, object, patch.value()); }});
    require_undeclared(declared, object, flags);
}

CatalogAccess catalog_access(const ImageFlags& images, Session& session) {
    return {[&](const std::string& reference) {
                return open(reference, opening(images, session), session.pool()).take();
            },
            session.pool(),
            [&](const std::string& reference, const std::string& digest) {
                return image::Puller(image_options(images, session))
                    .stands_for(required(image::Name::parse(reference)), digest);
            }};
}

CatalogAccess catalog_access(const ImageFlags& images, Session& session, const Kubectl& kubectl) {
    CatalogAccess access = catalog_access(images, session);
    access.read_served = [&](const Object& catalog_source, std::span<const Object> pods) {
        return read_served(kubectl, catalog_source, pods);
    };
    return access;
}

std::string read_served(const Kubectl& kubectl, const Object& catalog_source, std::span<const Object> pods) {
    const std::optional<ForwardTarget> target = registry_of(catalog_source, pods);
    const std::string what = catalog_source.describe();
    if (!target) throw Error(fmt::format("{} reports no address in the cluster", what));
    const PortForward forward(kubectl, *target);
    try {
        return serve::read_registry(
            {.endpoint = {.host = "127.0.0.1", .port = forward.port(), .unix_path = {}}});
    } catch (const Error& error) {
        throw Error(fmt::format("cannot read what {} serves: {}", what, error.what()));
    }
}

// ---- changes

namespace {

void print(const ObjectChanges& changes, const FlowFlags& flags, Session& session) {
    if (flags.output == Form::json) {
        session.out.write(as_document(parse_json<Json>(kube::to_text(changes.wanted()))));
        return;
    }
    const auto words = [](ObjectChanges::Action action) -> std::string_view {
        switch (action) {
        case ObjectChanges::Action::create:
            return "would be created";
        case ObjectChanges::Action::change:
            return "would be changed";
        case ObjectChanges::Action::none:
            break;
        }
        return "is there already";
    };
    for (size_t i = 0; i < changes.wanted().size(); ++i) {
        const Object& object = changes.wanted()[i];
        session.out.write("---\n");
        if (!flags.output)
            session.out.write(
                fmt::format("# {} {}\n", escape_controls(object.describe()), words(changes.action(i))));
        session.out.write(kube::to_yaml(object.value()));
    }
}

} // namespace

void show(const ObjectChanges& changes, const FlowFlags& flags, Session& session) {
    print(changes, flags, session);
    if (flags.output || !changes.any()) return;
    session.out.flush();
    changes.check(flags.force_conflicts);
}

namespace {

// The objects that a failed call has created nevertheless.
void print_created(const ObjectChanges& changes, const Session& session) {
    try {
        for (const Object& object : changes.created())
            session.print(fmt::format("created {}, before the failure; it stays\n", object.describe()));
    } catch (const KubectlError& error) {
        session.print_warning(fmt::format("what was created is not known: {}", error.what()));
    }
}

} // namespace

void apply(ObjectChanges& changes, const FlowFlags& flags, const Session& session) {
    if (!changes.any()) return;
    changes.check(flags.force_conflicts);
    try {
        for (const std::string& warning : changes.apply(flags.force_conflicts))
            session.print_warning("the cluster says: " + for_terminal(warning, 2));
    } catch (const Error&) {
        if (flags.clean_up)
            undo(changes, session);
        else
            print_created(changes, session);
        throw;
    }
    if (session.options.quiet) return;
    for (size_t i = 0; i < changes.wanted().size(); ++i)
        if (changes.action(i) != ObjectChanges::Action::none)
            session.print(fmt::format(
                "{} {}\n", changes.action(i) == ObjectChanges::Action::create ? "created" : "changed",
                changes.wanted()[i].describe()));
}

void undo(const ObjectChanges& changes, const Session& session) {
    const ObjectChanges::Undone undone = changes.undo();
    for (const Object& object : undone.deleted) session.print("deleted " + object.describe() + "\n");
    for (const std::string& what : undone.stay) session.print_warning(for_terminal(what, 2));
}

// ---- approval

bool may_approve(const PlanContent& plan, const FlowFlags& flags, const Session& session) {
    std::string text = fmt::format("InstallPlan {} would\n", plan.name);
    for (const PlanContent::Operator& one : plan.operators)
        text += fmt::format(
            "  install {}{}{}\n", one.csv, one.package.empty() ? "" : " (package " + one.package + ")",
            one.replaces.empty() ? "" : ", which replaces " + one.replaces + " where that is installed");
    for (const auto& [kind, names] : plan.objects) {
        if (kind == "ClusterServiceVersion") continue;
        text += fmt::format("  apply {} {}", names.size(), kind);
        constexpr size_t most = 3;
        for (size_t i = 0; i < names.size() && i < most; ++i) text += (i > 0 ? ", " : ": ") + names[i];
        text += names.size() > most ? ", ...\n" : "\n";
    }
    session.print(for_terminal(text, 0) + "\n");
    if (flags.dry_run) return false;
    return flags.yes || (can_ask() && confirm(session, "Approve all of it?"));
}

namespace {

void print_approved(const PlanContent& plan, const Session& session) {
    session.print(fmt::format("approved InstallPlan {}/{}\n", plan.ns, plan.name));
}

} // namespace

void approve(const Kubectl& kubectl, const PlanContent& plan, const Session& session) {
    approve_plan(kubectl, plan);
    print_approved(plan, session);
}

void print_beyond(const std::string& next, const std::string& version, const Session& session) {
    session.print_error(
        fmt::format("the step that waits leads to {}, beyond {}: nothing was approved", next, version),
        "no upgrade path of the catalog's channel ends there");
}

// ---- following

void print_nudged(const std::string& why, const Session& session) {
    session.print(fmt::format("OLM was asked to resolve again: its last attempt failed, and {}\n",
                              for_terminal(why, 2)));
}

namespace {

// Shows the steps of a wait. An interruption, also before the first step is known, ends with a message that
// names the last step of `what`, if any, and then says what continues.
class FollowDisplay {
public:
    FollowDisplay(const Session& session, std::string what, std::string what_continues)
        : session_(session), what_(std::move(what)), what_continues_(std::move(what_continues)) {
        say_when_interrupted("interrupted; " + what_continues_);
    }
    FollowDisplay(const FollowDisplay&) = delete;
    FollowDisplay& operator=(const FollowDisplay&) = delete;
    ~FollowDisplay() { say_when_interrupted(""); }

    FollowCallbacks callbacks() {
        FollowCallbacks made;
        made.on_state = [this](const OperatorState& state) {
            const std::string step = step_of(state);
            if (!step.empty())
                say_when_interrupted(fmt::format("interrupted: {} was at \"{}\"; {}", what_,
                                                 for_terminal(step, 2), what_continues_));
            if (!steps_) steps_.emplace(session_);
            steps_->show(step);
        };
        made.on_wait_end = [this](bool good) {
            if (steps_) steps_->end(good);
            steps_.reset();
        };
        return made;
    }

private:
    const Session& session_;
    const std::string what_;
    const std::string what_continues_;
    std::optional<StepDisplay> steps_;
};

// The failure, its causes and what to do, on standard error.
void report_failure(const Kubectl& kubectl, const Waited& waited, const FlowFlags& flags,
                    const Session& session) {
    const OperatorState& state = waited.state;
    const std::string what = state.package.empty() ? state.name : state.package;
    std::string message;
    if (waited.timed_out && state.health != Health::failing)
        message =
            fmt::format("{} was not done within {}: {}", what, flags.timeout,
                        !waited.trouble.empty() ? waited.trouble
                        : state.stage.empty()   ? std::string("it is ") + std::string(to_string(state.health))
                                                : state.stage);
    else
        message = fmt::format("{} fails ({}): {}", what, state.reason, state.cause);
    session.print_error(for_terminal(message, 2));
    for (const std::string& note : state.notes) session.print("  note: " + for_terminal(note, 4) + "\n");
    for (const std::string& cause : diagnose(kubectl, state))
        session.print("  because: " + for_terminal(cause, 4) + "\n");
    if (state.running && !state.version.empty())
        session.print(fmt::format("  {} runs on\n", state.installed));
    if (const std::string advice = advice_for(state); !advice.empty())
        session.print("  help: " + for_terminal(advice, 4) + "\n");
}

// The final report, and the exit status. `expected`: the CSV or bundle.
int report_end(const Kubectl& kubectl, const FollowResult& result, const std::string& package,
               const std::string& ns, const std::string& expected, const FlowFlags& flags,
               const Session& session) {
    const OperatorState& state = result.waited.state;
    const std::string ready =
        fmt::format("{} {} is installed and ready in namespace {}", package, state.version, ns);
    switch (result.end) {
    case FollowResult::End::failed:
        report_failure(kubectl, result.waited, flags, session);
        return exit_findings;
    case FollowResult::End::ready:
    case FollowResult::End::unexpected:
        session.print(ready + "\n");
        for (const std::string& deprecation : state.deprecations)
            session.print_warning("deprecated: " + for_terminal(deprecation, 4));
        if (result.end == FollowResult::End::ready) return exit_ok;
        session.print_warning(fmt::format("{} was expected, and OLM stays at {}", expected, state.installed));
        return exit_findings;
    case FollowResult::End::ready_next_waits:
        session.print(fmt::format("{}; an upgrade to {} waits for approval\n", ready, state.next));
        return exit_ok;
    case FollowResult::End::step_done:
        session.print(fmt::format("{}; the next step, {}, waits for approval\n", ready, state.next));
        return exit_ok;
    case FollowResult::End::beyond_goal:
        break; // the caller knows the goal
    case FollowResult::End::waits:
        session.print(
            fmt::format("InstallPlan {} waits for approval of {}; to approve it: opcat approve {} -n {}\n",
                        state.plan, state.next, package, ns));
        return exit_waiting;
    }
    return exit_findings;
}

} // namespace

int follow_classic(const Kubectl& kubectl, const ClassicGoal& goal, bool approve, const FlowFlags& flags,
                   Session& session) {
    FollowDisplay display(session, fmt::format("{} in namespace {}", goal.package, goal.ns),
                          fmt::format("the cluster continues by itself, nothing was undone; opcat status {} "
                                      "-n {} shows how far it is",
                                      goal.package, goal.ns));
    FollowCallbacks callbacks = display.callbacks();
    if (approve)
        callbacks.may_approve = [&](const PlanContent& plan) { return may_approve(plan, flags, session); };
    callbacks.on_approved = [&](const PlanContent& plan) { print_approved(plan, session); };
    callbacks.on_nudged = [&](const std::string& why) { print_nudged(why, session); };
    const FollowResult result = cluster::follow_classic(kubectl, goal, flags.wait(), callbacks);
    if (result.end == FollowResult::End::beyond_goal)
        print_beyond(result.waited.state.next, goal.version, session);
    return report_end(kubectl, result, goal.package, goal.ns, goal.csv, flags, session);
}

int follow_v1(const Kubectl& kubectl, const std::string& extension, const std::string& bundle,
              const FlowFlags& flags, Session& session) {
    FollowDisplay display(
        session, extension,
        fmt::format(
            "the cluster continues by itself, nothing was undone; opcat status {} shows how far it is",
            extension));
    const FollowResult result =
        cluster::follow_v1(kubectl, extension, bundle, flags.wait(), display.callbacks());
    const OperatorState& state = result.waited.state;
    return report_end(kubectl, result, state.package, state.ns, bundle, flags, session);
}

int follow_set(const Kubectl& kubectl, const std::string& set, const std::string& ns, const FlowFlags& flags,
               Session& session) {
    FollowDisplay display(
        session, set,
        fmt::format("the objects of {} were applied; opcat status {} shows how far they are", set, set));
    const FollowResult result = cluster::follow_set(kubectl, set, ns, flags.wait(), display.callbacks());
    return report_end(kubectl, result, set, ns, {}, flags, session);
}

void print_stays_self_certified(const std::string& extension, const Session& session) {
    session.print(
        fmt::format("ClusterExtension {} stays SelfCertified: OLM goes to any version that it is asked "
                    "for\n",
                    extension));
}

} // namespace opcat
