#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/table.hpp"
#include "opcat/cluster/classic_install.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

using namespace cluster;

struct ApproveOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    std::string package;
};

void run(const ApproveOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    choose(connection.served, Olm::classic);
    const Kubectl& kubectl = connection.kubectl;
    const ClassicObjects objects = read_classic(kubectl, connection.ns);
    const Object& subscription = with_hints(options.package, connection.ns, [&]() -> const Object& {
        return require_subscription(objects, options.package, connection.ns);
    });
    const Object* const plan = latest_plan(objects, subscription);
    if (!plan || !waits_for_approval(*plan)) {
        const OperatorState state = state_of_subscription(objects, subscription);
        session.print(fmt::format("nothing of {} waits for approval: {}\n", options.package,
                                  state.health == Health::ready ? state.installed + " is installed and ready"
                                  : state.health == Health::failing ? for_terminal(state.cause, 2)
                                                                    : state.stage));
        if (state.health == Health::failing) session.exit_status = exit_findings;
        return;
    }
    const std::string csv = csv_in_plan(*plan, subscription);
    if (!options.flow.yes && !options.flow.dry_run) require_terminal("approval");
    kubectl.require_right("patch", *plan, plan->name);
    const PlanContent content = content_of_plan(*plan);
    if (!may_approve(content, options.flow, session)) {
        if (options.flow.dry_run) return;
        session.print("nothing was approved\n");
        session.exit_status = exit_waiting;
        return;
    }
    approve(kubectl, content, session);
    if (options.flow.no_wait) return;
    session.exit_status = follow_classic(
        kubectl, {.package = options.package, .ns = connection.ns, .csv = csv}, false, options.flow, session);
}

} // namespace

void add_approve(Command tree, Session& session) {
    const Command command = tree.add_command("approve", "Approve the InstallPlan that an operator waits for");
    auto& options = command.action<ApproveOptions>(run, session);
    command.add_option("PACKAGE", options.package, "The operator's package").required();
    add_cluster_flags(command, options.cluster, false);
    add_flow_flags(command, options.flow);
    command.footer(
        "One InstallPlan covers all operators of a namespace that wait: what it would install is shown "
        "first.\nOLM classic only: OLM v1 approves nothing by hand.\n\n"
        "Examples:\n"
        "  opcat approve prometheus -n monitoring\n"
        "  opcat approve prometheus -n monitoring --yes --timeout 5m\n\n"
        "Exit status: 0 if it is installed, 1 if the cluster refuses it or fails, 4 if it still waits for "
        "approval.");
}

} // namespace opcat
