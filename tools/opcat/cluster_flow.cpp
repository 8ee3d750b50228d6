#include "cluster_flow.hpp"

#include "cluster/causes.hpp"
#include "cluster/resources.hpp"
#include "cluster_text.hpp"
#include "command.hpp"
#include "duration.hpp"
#include "session.hpp"
#include "support/error.hpp"

#include <nlohmann/json.hpp>

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
    command.add_flag("--force", flags.force, "Go on although it is predicted to fail");
    command.add_flag("--cleanup-on-failure", flags.clean_up, "If it fails, delete what this command created");
    command.add_flag("--force-conflicts", flags.force_conflicts,
                     "Take over fields that somebody else manages");
    command
        .add_option("-o,--output", flags.output, "Print the objects alone, and change nothing: yaml or json")
        .one_of({"yaml", "json"});
}

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
    for (const std::string& cause : find_causes(kubectl, state))
        session.print("  because: " + for_terminal(cause, 4) + "\n");
    if (state.running && !state.version.empty())
        session.print(fmt::format("  {} runs on\n", state.installed));
    if (const std::string advice = advice_for(state); !advice.empty())
        session.print("  help: " + for_terminal(advice, 4) + "\n");
}

bool require_usable_namespace(const Kubectl& kubectl, const std::string& ns) {
    const auto object = kubectl.get(resource::namespaces, ns);
    if (object && is_terminating(*object))
        throw Error(fmt::format("cannot use namespace {}: it is being deleted", ns),
                    "wait until it is gone (kubectl get namespaces), then try again");
    return object.has_value();
}

} // namespace opcat
