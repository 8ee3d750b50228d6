#include "opcat/cluster/uninstall.hpp"

#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/resolution_failure.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace opcat {
namespace {

using namespace cluster;

struct UninstallOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    std::string package;
    bool delete_crds = false;
    bool delete_groups = false;
    bool delete_operands = false;
    bool with_dependencies = false;
};

void print_effects(const UninstallPlan& plan, const std::string& ns, const Session& session) {
    session.print(plan.olm == Olm::classic
                      ? fmt::format("Uninstalling {} from namespace {}:\n", plan.name, ns)
                  : plan.olm == Olm::v1 ? fmt::format("Uninstalling ClusterExtension {}:\n", plan.name)
                                        : fmt::format("Uninstalling {}:\n", plan.name));
    for (const UninstallEffect& effect : plan.effects)
        session.print(
            fmt::format("  {} {}\n", effect.goes ? "goes  " : "stays ", for_terminal(effect.what, 4)));
    if (plan.olm == Olm::v1 && plan.operand_count > 0)
        session.print(fmt::format("{} {} lost: OLM v1 deletes the CustomResourceDefinitions\n",
                                  counted(plan.operand_count, "custom resource"),
                                  plan.operand_count == 1 ? "is" : "are"));
}

// Objects that would be lost in addition to what the flags ask for.
void check(const UninstallPlan& plan, const UninstallOptions& options, const std::string& ns,
           const Session& session) {
    if (!plan.obstacle) return;
    std::string message = plan.obstacle->message;
    if (plan.obstacle->remedy == Remedy::delete_shared || plan.obstacle->remedy == Remedy::uninstall_users) {
        print_effects(plan, ns, session);
    } else if (plan.olm == Olm::v1) {
        if (options.flow.dry_run) return;
        print_effects(plan, ns, session);
    } else if (plan.obstacle->remedy == Remedy::delete_operands && plan.operand_count > 0) {
        message = fmt::format("--delete-crds would delete {} with them",
                              counted(plan.operand_count, "custom resource"));
    }
    throw RequestError(message, hint_for(*plan.obstacle, options.package, ns));
}

bool may_uninstall(const UninstallPlan& plan, const UninstallOptions& options, Session& session) {
    for (const std::string& user : plan.needed_by) session.print_warning(user);
    if (options.flow.dry_run) return false;
    if (options.flow.yes) return true;
    if (plan.other_owners.empty()) return agreed(session, "uninstalling");
    require_terminal("uninstalling");
    // Deleting objects that others use needs more than a quick "y".
    for (const std::string& owner : plan.other_owners) session.print_warning("used by others: " + owner);
    return type_number(session,
                       "Other operators use what is deleted. Type the number of custom resources that exist",
                       plan.operand_count) ||
           decline(session);
}

// While it exists, an interruption prints the state.
class InterruptionNote {
public:
    InterruptionNote() { show("during the deletion"); }
    InterruptionNote(const InterruptionNote&) = delete;
    InterruptionNote& operator=(const InterruptionNote&) = delete;
    ~InterruptionNote() { say_when_interrupted(""); }

    void show(const std::string& state) {
        say_when_interrupted(fmt::format("interrupted {}; the cluster continues to delete what it was asked "
                                         "to; run the command again to do the rest",
                                         for_terminal(state, 2)));
    }
};

void wait_gone(const std::string& step, const std::function<std::vector<Object>()>& remaining,
               const std::string& otherwise, const UninstallOptions& options, InterruptionNote& note,
               const Session& session) {
    if (options.flow.no_wait) return;
    note.show("while " + step);
    StepDisplay steps(session);
    std::string remains;
    const bool is_gone = wait_until(
        [&] {
            steps.show(step);
            const std::vector<Object> objects = remaining();
            remains = describe_remaining(objects);
            note.show(fmt::format("while {}: {} left", step, remains));
            return objects.empty();
        },
        options.flow.wait());
    steps.end(is_gone);
    note.show("after " + step);
    if (!is_gone)
        throw Error(for_terminal(fmt::format("uninstalling {} was not done within {}: what remains is {}",
                                             options.package, options.flow.timeout, remains),
                                 2),
                    otherwise);
}

// What is uninstalled may have been in the way of the namespace's other operators, for which OLM does not
// resolve again by itself.
void resolve_rest(const Connection& connection, const Session& session) {
    try {
        if (const auto subscription = resolve_rest_again(connection.kubectl, connection.ns))
            print_nudged(
                fmt::format("{} may be resolved without what is uninstalled", subscription->describe()),
                session);
    } catch (const KubectlError& error) {
        session.print_warning(fmt::format("OLM was not asked to resolve again: {}", error.what()));
    }
}

void run(const UninstallOptions& options, const Connection& connection, Session& session) {
    const std::string& ns = connection.ns;
    const UninstallRequest request{.package = options.package,
                                   .ns = ns,
                                   .only_in = options.cluster.ns,
                                   .olm = options.cluster.olm,
                                   .delete_crds = options.delete_crds,
                                   .delete_groups = options.delete_groups,
                                   .delete_operands = options.delete_operands,
                                   .delete_shared = options.flow.force,
                                   .with_dependencies = options.with_dependencies};
    const UninstallPlan plan = with_hints(
        options.package, ns, [&] { return plan_uninstall(connection.kubectl, connection.served, request); });
    if (!plan.olm) {
        const bool classic_looked_at =
            connection.served.classic && request.olm.value_or(Olm::classic) == Olm::classic;
        const std::string absent = fmt::format("{} is not installed{}, nothing was changed", options.package,
                                               classic_looked_at ? " in namespace " + ns : "");
        if (!options.delete_crds && !options.delete_groups && !options.delete_operands)
            return session.print(absent + "\n");
        session.print_error(
            absent + ": what it has left is not known without it",
            fmt::format(
                "kubectl get customresourcedefinitions -l operators.coreos.com/{}.{} lists the definitions "
                "that OLM classic has left; delete by hand what nobody needs",
                options.package, ns));
        session.exit_status = exit_findings;
        return;
    }
    for (const std::string& what : plan.unread) session.print_warning(what);
    check(plan, options, ns, session);
    // Without its operator, nothing would remove the finalizers of a custom resource.
    if (options.flow.no_wait && !options.flow.dry_run && !plan.operands.empty())
        throw RequestError("custom resources are deleted before their operator, which needs a wait",
                           "leave out --no-wait");
    print_effects(plan, ns, session);
    require_rights(connection.kubectl, plan);
    if (!may_uninstall(plan, options, session)) return;
    InterruptionNote note;
    UninstallCallbacks callbacks;
    callbacks.on_deleted = [&](const Object& object) {
        if (!session.options.quiet) session.print("deleted " + object.describe() + "\n");
    };
    callbacks.wait = [&](const std::string& step, const std::function<std::vector<Object>()>& remaining,
                         const std::string& otherwise) {
        wait_gone(step, remaining, otherwise, options, note, session);
    };
    if (const auto successors = uninstall(connection.kubectl, plan, callbacks); !successors.empty()) {
        session.print_error(
            fmt::format("{} is not uninstalled: OLM has upgraded it meanwhile, and {} stays with all that "
                        "would have been deleted after it",
                        plan.name, listed(successors, successors.size(), &Object::describe)),
            "run the command again: it shows what goes with it");
        session.exit_status = exit_findings;
        return;
    }
    if (plan.olm == Olm::classic && !options.flow.no_wait) resolve_rest(connection, session);
    const std::string place = plan.olm == Olm::classic ? " from namespace " + ns : std::string();
    session.print(options.flow.no_wait ? fmt::format("the deletion of {}{} was requested\n", plan.name, place)
                                       : fmt::format("{} is uninstalled{}\n", plan.name, place));
}

} // namespace

void add_uninstall(Command tree, Session& session) {
    const Command command = tree.add_command("uninstall", "Uninstall an operator");
    const auto options = std::make_shared<UninstallOptions>();
    command.add_option("PACKAGE", options->package, "The operator's package").required();
    command.add_flag("--delete-crds", options->delete_crds, "Also delete its CustomResourceDefinitions");
    command.add_flag(
        "--delete-operator-groups", options->delete_groups,
        "OLM classic: also delete the namespace's OperatorGroups if no other operator needs them");
    command.add_flag("--delete-operands", options->delete_operands,
                     "Also delete the custom resources that users have made");
    command.add_flag("--with-dependencies", options->with_dependencies,
                     "OLM classic: also uninstall operators that were installed as dependencies if no other "
                     "operator needs them");
    command.add_flag("--force", options->flow.force,
                     "Uninstall it although others need it, and delete what other operators use");
    add_cluster_flags(command, options->cluster);
    add_flow_flags(command, options->flow);
    command.footer("First prints what is deleted and what stays. OLM v1 deletes CustomResourceDefinitions "
                   "and with them all custom resources; OLM classic keeps both.\n\n"
                   "Examples:\n"
                   "  opcat uninstall prometheus -n monitoring\n"
                   "  opcat uninstall prometheus -n monitoring --delete-operands --delete-crds --yes");
    command.callback([options, &session] { run(*options, connect(options->cluster, session), session); });
}

} // namespace opcat
