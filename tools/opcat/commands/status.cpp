#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/snapshot.hpp"
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

std::string or_dash(const std::string& text) {
    return text.empty() ? "-" : escape_controls(text);
}

std::string state_words(const OperatorState& state) {
    switch (state.health) {
    case Health::ready:
        return "ready";
    case Health::waits:
        return fmt::format("waits for approval of {}", state.next);
    case Health::working:
        return state.stage;
    case Health::failing:
        return state.reason;
    }
    return {};
}

std::string table_of(const std::vector<OperatorState>& states, const Session& session) {
    std::string text = "PACKAGE\tNAMESPACE\tOLM\tVERSION\tCHANNEL\tCATALOG\tSTATE\n";
    for (const OperatorState& state : states)
        text += fmt::format(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\n", or_dash(state.package), or_dash(state.ns), to_string(state.olm),
            or_dash(state.version),
            or_dash(state.channel.empty() && !state.range.empty() ? "version " + state.range : state.channel),
            or_dash(state.catalog), or_dash(state_words(state)));
    return table_in_locale(text, session);
}

// Details that do not fit into the line of the table.
std::string details_of(const OperatorState& state) {
    std::string text;
    if (!state.cause.empty()) text += "  " + for_terminal(state.cause, 6) + "\n";
    if (state.health == Health::failing && !state.version.empty())
        text += fmt::format("  {} {}\n", state.installed, state.running ? "runs on" : "does not run");
    const auto is_active = [](const cluster::Revision& revision) { return !revision.archived; };
    const auto active = std::count_if(state.revisions.begin(), state.revisions.end(), is_active);
    for (const cluster::Revision& revision : state.revisions)
        if (is_active(revision) && (active > 1 || revision.is_rolling_out()))
            text += "  " + for_terminal(revision.describe(), 6) + "\n";
    for (const std::string& deprecation : state.deprecations)
        text += "  deprecated: " + for_terminal(deprecation, 6) + "\n";
    for (const std::string& note : state.notes) text += "  note: " + note + "\n";
    for (const std::string& webhook : state.webhooks) text += "  brought " + webhook + "\n";
    if (const std::string advice = advice_for(state); !advice.empty()) text += "  help: " + advice + "\n";
    if (text.empty()) return {};
    // A namespace may have several Subscriptions for a package.
    const bool has_own_name = state.olm == Olm::classic && !state.package.empty() && !state.name.empty() &&
                              state.name != state.package;
    return escape_controls_in_lines(
        fmt::format("\n{}{}{}:\n{}", state.ns.empty() ? "" : state.ns + "/",
                    state.package.empty() ? state.name : state.package,
                    has_own_name ? fmt::format(" (Subscription {})", state.name) : std::string(), text));
}

std::string words_for(const CatalogOutage& outage) {
    std::string text =
        fmt::format("\ncatalog {} is not ready ({})", outage.catalog->full_name(), outage.catalog->word);
    if (!outage.catalog->cause.empty()) text += ": " + for_terminal(outage.catalog->cause, 6);
    text += "\n";
    if (outage.everyone)
        text += outage.catalog->olm == Olm::classic
                    ? "  until then, nothing is resolved in any namespace\n"
                    : "  until then, OLM v1 resolves only extensions that name another catalog\n";
    if (!outage.operators.empty()) {
        text += "  holds up";
        for (size_t i = 0; i < outage.operators.size(); ++i)
            text += (i > 0 ? ", " : " ") + outage.operators[i];
        text += "\n";
    }
    return escape_controls_in_lines(text);
}

Json to_json(const cluster::Revision& revision) {
    Json json{{"name", revision.name},
              {"state", revision.archived       ? "archived"
                        : revision.rolled_out   ? "rolled-out"
                        : revision.is_failing() ? "failing"
                                                : "rolling-out"}};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) json[key] = value;
    };
    if (revision.number > 0) json["number"] = revision.number;
    add("bundle", revision.bundle);
    add("version", revision.version);
    json["phases"] = Json::array();
    for (const cluster::Revision::Phase& phase : revision.phases)
        json["phases"].push_back({{"name", phase.name}, {"objects", phase.objects}});
    add("phase", revision.phase);
    add("reason", revision.reason);
    add("message", revision.message);
    add("waitsFor", revision.waits_for);
    return json;
}

Json to_json(const OperatorState& state) {
    Json json{{"package", state.package},          {"namespace", state.ns},
              {"olm", to_string(state.olm)},       {"name", state.name},
              {"health", to_string(state.health)}, {"running", state.running}};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) json[key] = value;
    };
    add("installed", state.installed);
    add("version", state.version);
    add("next", state.next);
    add("channel", state.channel);
    add("versions", state.range);
    add("catalog", state.catalog);
    add("installPlan", state.plan);
    add("reason", state.reason);
    add("stage", state.stage);
    add("cause", state.cause);
    if (!state.revisions.empty()) {
        json["revisions"] = Json::array();
        for (const cluster::Revision& revision : state.revisions)
            json["revisions"].push_back(to_json(revision));
    }
    json["deprecations"] = state.deprecations;
    json["webhooks"] = state.webhooks;
    json["notes"] = state.notes;
    return json;
}

Json to_json(const CatalogState& state) {
    Json json{{"name", state.name}};
    if (!state.ns.empty()) json["namespace"] = state.ns;
    json["olm"] = to_string(state.olm);
    json["image"] = state.image;
    if (!state.digest.empty()) json["digest"] = state.digest;
    json["priority"] = state.priority;
    json["health"] = to_string(state.health);
    json["state"] = state.word;
    if (!state.cause.empty()) json["cause"] = state.cause;
    return json;
}

Json report(const ClusterSnapshot& snapshot) {
    Json json{{"schema", "opcat.status.v1"}, {"operators", Json::array()}, {"catalogs", Json::array()}};
    for (const OperatorState& state : snapshot.operators) json["operators"].push_back(to_json(state));
    const std::vector<CatalogOutage> outages = snapshot.outages();
    for (const CatalogState& catalog : snapshot.catalogs) {
        Json one = to_json(catalog);
        for (const CatalogOutage& outage : outages)
            if (outage.catalog == &catalog) {
                one["holdsUpEveryone"] = outage.everyone;
                one["holdsUp"] = outage.operators;
            }
        json["catalogs"].push_back(std::move(one));
    }
    json["unread"] = snapshot.unread;
    return json;
}

void print_unread(const ClusterSnapshot& snapshot, const Session& session) {
    for (const std::string& what : snapshot.unread) session.print_warning(what);
}

void print_table(const ClusterSnapshot& snapshot, Session& session) {
    if (snapshot.operators.empty())
        session.print(snapshot.all_operators ? "no operators are installed\n"
                                             : "no operators are among those that could be read\n");
    else
        session.out.write(table_of(snapshot.operators, session));
    for (const OperatorState& state : snapshot.operators) session.out.write(details_of(state));
    for (const CatalogOutage& outage : snapshot.outages()) session.out.write(words_for(outage));
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
        session.out.write(as_document(report(found)));
    else if (options.output == Form::yaml)
        session.out.write(kube::to_yaml(object_of(report(found)).value()));
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
