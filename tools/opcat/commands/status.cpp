#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/status_report.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

using namespace cluster;

struct StatusOptions {
    ClusterFlags cluster;
    std::string package;
    Form output = Form::table;
};

void print_unread(const ClusterSnapshot& snapshot, const Session& session) {
    for (const std::string& what : snapshot.unread) session.print_warning(what);
}

void print_table(const ClusterSnapshot& snapshot, Session& session) {
    if (snapshot.operators.empty())
        session.print(snapshot.all_operators ? "no operators are installed\n"
                                             : "no operators are among those that could be read\n");
    else
        session.out.write(table_in_locale(operators_as_rows(snapshot.operators), session));
    for (const OperatorState& state : snapshot.operators) session.out.write(details_of(state));
    for (const CatalogOutage& outage : snapshot.outages()) session.out.write(outage_as_text(outage));
    print_unread(snapshot, session);
}

void run(const StatusOptions& options, Session& session) {
    if (options.output == Form::prometheus && !options.package.empty())
        throw RequestError("-o prometheus prints the metrics of all operators, not of one package");
    const Connection connection = connect(options.cluster, session);
    const Served served = narrowed(connection.served, options.cluster.olm);
    if (options.output == Form::prometheus && !served.classic)
        throw RequestError(
            connection.served.classic
                ? "-o prometheus prints the metrics of OLM classic, not those of --olm v1"
                : "-o prometheus prints the metrics of OLM classic, which the cluster does not have");
    ClusterSnapshot found =
        read_cluster(connection.kubectl, served,
                     options.cluster.ns.empty() ? Scope::everywhere() : Scope::in(options.cluster.ns));
    if (options.output == Form::prometheus) {
        session.out.write(prometheus_text(found.classic));
        if (has_all_figures(found.classic)) return;
        print_unread(found, session);
        session.exit_status = exit_environment;
        return;
    }
    if (!options.package.empty()) {
        std::vector<std::string> packages;
        for (const OperatorState& state : found.operators) packages.push_back(state.package);
        std::erase_if(found.operators, [&](const OperatorState& state) {
            return state.package != options.package && state.name != options.package;
        });
        if (found.operators.empty()) {
            const std::vector<std::string_view> known(packages.begin(), packages.end());
            const std::string where = options.cluster.ns.empty() ? "" : " in namespace " + options.cluster.ns;
            session.print_error(found.all_operators
                                    ? fmt::format("{} is not installed{}", options.package, where)
                                    : fmt::format("whether {} is installed{} is not known: it is not among "
                                                  "the operators that could be read",
                                                  options.package, where),
                                did_you_mean(options.package, known));
            session.exit_status = found.all_operators ? exit_findings : exit_environment;
            if (options.output == Form::table) return print_unread(found, session);
        }
    }
    const auto is_failing = [](const auto& state) { return state.health == Health::failing; };
    if (std::any_of(found.operators.begin(), found.operators.end(), is_failing) ||
        (options.package.empty() && std::any_of(found.catalogs.begin(), found.catalogs.end(), is_failing)))
        session.exit_status = exit_findings;
    if (options.output == Form::json)
        session.out.write(as_document(snapshot_as_json(found)));
    else if (options.output == Form::yaml)
        session.out.write(kube::to_yaml(object_of(snapshot_as_json(found)).value()));
    else
        print_table(found, session);
}

} // namespace

void add_status(Command tree, Session& session) {
    const Command command =
        tree.add_command("status", "Show the health of a cluster's operators and catalogs");
    auto& options = command.action<StatusOptions>(run, session);
    command.add_option("PACKAGE", options.package, "Only this operator");
    add_cluster_flags(command, options.cluster, true, "all");
    command
        .add_choice("-o,--output", options.output, {Form::table, Form::json, Form::yaml, Form::prometheus},
                    "table, json, yaml, or prometheus (the figures of OLM classic's metrics)")
        .show_default();
    command.footer(
        "Examples:\n"
        "  opcat status\n"
        "  opcat status prometheus -n monitoring\n"
        "  opcat status -o prometheus > /var/lib/node_exporter/olm.prom\n\n"
        "Exit status: 0 if all is well or in progress, 1 if something fails, 3 if what was asked for "
        "could not be read.");
}

} // namespace opcat
