#include "commands/plan.hpp"

#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/beyond_plan.hpp"
#include "opcat/planning/fleet.hpp"
#include "opcat/planning/report.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <memory>

namespace opcat {

using namespace planning;
using olmv1::MinorVersion;

namespace {

// The catalogs of --catalog, each loaded once.
class PlanCatalogs {
public:
    PlanCatalogs(const PlanFlags& flags, Session& session);

    // Loads what these minor versions need and is not loaded yet, side by side. False if there are errors,
    // which have been printed.
    bool load(const std::vector<MinorVersion>& versions);
    const std::deque<PlatformCatalog>& all() const { return catalogs_; }

private:
    struct Option {
        std::optional<MinorVersion> version; // nothing: a pattern for all others
        std::string reference;
    };
    CatalogCache cache_;
    std::vector<Option> options_;
    std::deque<PlatformCatalog> catalogs_; // plans refer to them
    std::vector<MinorVersion> loaded_;
};

PlanCatalogs::PlanCatalogs(const PlanFlags& flags, Session& session) : cache_(session, flags.images) {
    for (const std::string& text : flags.catalogs) {
        const size_t equals = text.find('=');
        const auto version =
            olmv1::minor_version_of_cluster(text.substr(0, equals == text.npos ? 0 : equals));
        if (version && equals + 1 < text.size())
            options_.push_back({*version, text.substr(equals + 1)});
        else if (text.find("{version}") != text.npos)
            options_.push_back({std::nullopt, text});
        else
            throw RequestError(fmt::format("--catalog {}: its version of OpenShift is missing", text),
                               "write 4.16=REF, or a REF with {version} in it");
    }
}

bool PlanCatalogs::load(const std::vector<MinorVersion>& versions) {
    struct Wanted {
        MinorVersion version;
        std::string reference;
    };
    std::vector<Wanted> wanted;
    for (const MinorVersion& version : versions) {
        if (std::any_of(loaded_.begin(), loaded_.end(),
                        [&](const MinorVersion& one) { return olmv1::is_same_release(one, version); }))
            continue;
        loaded_.push_back(version);
        const size_t before = wanted.size();
        for (const Option& option : options_)
            if (option.version && olmv1::is_same_release(*option.version, version))
                wanted.push_back({version, option.reference});
        if (wanted.size() > before) continue;
        for (const Option& option : options_)
            if (!option.version)
                wanted.push_back({version, replace_all(option.reference, "{version}", version.to_string())});
    }
    std::vector<std::string> references;
    references.reserve(wanted.size());
    for (const Wanted& one : wanted) references.push_back(one.reference);
    if (!cache_.load_all(references)) return false;
    for (const Wanted& one : wanted)
        catalogs_.push_back({one.version, one.reference, &cache_.sources.index(one.reference),
                             cache_.sources.refusal(one.reference)});
    return true;
}

PlanOptions plan_options(const PlanFlags& flags) {
    PlanOptions options{read_day(flags.at)};
    options.olm_release = flags.release.read();
    return options;
}

std::string image_set_of(const ClusterPlan& plan, Session& session) {
    const BeyondPlan beyond = kept_beyond(plan, session.pool());
    for (const std::string& refusal : beyond.refusals) session.print_warning(refusal);
    return plan_as_image_set(plan, beyond.bundles);
}

void print_plan(const ClusterPlan& plan, const ReportHeader& header, const PlanFlags& flags,
                Session& session) {
    const std::optional<Form> format = flags.format;
    session.out.write(format == Form::json       ? as_document(plan_as_json(plan, header))
                      : format == Form::markdown ? plan_as_markdown(plan, header)
                      : format == Form::html     ? plan_as_html(plan, header)
                      : format == Form::commands ? plan_as_commands(plan, header)
                      : format == Form::imageset ? image_set_of(plan, session)
                                                 : plan_as_text(plan, header));
}

// `opcat plan --fleet`: a cluster in each line, and what blocks how many of them.
void plan_fleet(const PlanFlags& flags, Session& session) {
    const PlanOptions options = plan_options(flags);
    PlanCatalogs catalogs(flags, session);
    if (flags.format && flags.format != Form::text && flags.format != Form::json)
        throw RequestError("--fleet answers with -o json, lines, or with -o text, the table alone");
    const bool is_table_asked = flags.format == Form::text;
    if (is_table_asked && flags.fleet.shard.given())
        throw RequestError("the output of a shard is lines", "leave out -o text");
    const auto load = [&](const std::vector<MinorVersion>& versions) {
        if (!catalogs.load(versions)) throw Error("a catalog has errors, so nothing can be planned with it");
    };
    Fleet fleet({options, flags.cluster_version, flags.to, flags.olm, flags.eus}, catalogs.all(), load,
                session.pool());
    // What the answers depend on in addition to the lines.
    std::string request = fmt::format("plan {} {} {} {} {}", flags.cluster_version, flags.to, flags.eus,
                                      to_string(flags.olm), date_text(options.at));
    for (const std::string& catalog : flags.catalogs) request += " " + catalog;
    run_batch(
        flags.fleet, request,
        [&](std::span<const BatchLine> lines) {
            std::vector<std::string> answers = fleet.answer(lines);
            if (is_table_asked) answers.clear(); // they count in it
            return answers;
        },
        flags.images, session);
    if (is_table_asked)
        session.out.write(fleet.table());
    else if (!session.options.quiet)
        session.print_lines(fleet.table());
    if (!fleet.all_reach_it()) session.exit_status = exit_findings;
}

void run_plan(const PlanFlags& flags, Session& session) {
    refuse_shard_without_batch(flags.fleet, "--fleet");
    if (!flags.fleet.file.empty()) {
        if (!flags.installed.empty() || !flags.cluster.empty() || flags.from_cluster)
            throw RequestError("--fleet reads the operators from the file, not from the command line");
        return plan_fleet(flags, session);
    }
    if (flags.to.empty()) throw RequestError("--to is missing", "name the version to reach: --to 4.20");
    PlanOptions options = plan_options(flags);
    const MinorVersion to = read_openshift_version("--to", flags.to);
    std::string version = flags.cluster_version;
    auto read = read_operators(flags, version, session);
    if (!read) {
        session.exit_status = exit_findings;
        return;
    }
    if (read->release) options.olm_release = *read->release;
    if (read->names.empty() && read->operators.empty())
        throw RequestError("there is no operator to plan for",
                           "name those that are installed with --installed, or read them with --cluster or "
                           "--from-cluster");
    if (version.empty())
        throw RequestError("the version of the cluster is not known", "name it: --cluster-version 4.18.3");
    const MinorVersion from = read_openshift_version("--cluster-version", version);
    std::vector<MinorVersion> versions;
    for (const Stop& stop : stops_between(from, to, flags.eus, {})) versions.push_back(stop.version);
    PlanCatalogs catalogs(flags, session);
    if (!catalogs.load(versions)) {
        session.exit_status = exit_findings;
        return;
    }
    std::vector<Stop> stops = stops_between(from, to, flags.eus, catalogs.all());
    std::vector<InstalledOperator> operators;
    if (!read->names.empty()) {
        const OperatorNames names(catalogs.all(), from, session.pool());
        for (const std::string& name : read->names) operators.push_back(names.read(name, flags.olm));
        refuse_repeated(operators, read->operators);
    }
    operators.insert(operators.end(), read->operators.begin(), read->operators.end());
    std::vector<std::shared_ptr<const OperatorPlan>> plans(operators.size());
    session.pool().for_each(operators.size(), [&](size_t i) {
        complete(operators[i], stops);
        plans[i] = std::make_shared<OperatorPlan>(plan_operator(operators[i], stops, options));
    });
    BundleFacts facts;
    const ClusterPlan plan = put_in_order(std::move(stops), std::move(plans), options, facts);
    print_plan(plan, {version, flags.to, options.at}, flags, session);
    if (plan.verdict != Verdict::ok) session.exit_status = exit_findings;
}

} // namespace

void add_plan(Command tree, Session& session) {
    const Command command = tree.add_command(
        "plan", "Plan the upgrades of a cluster's operators along the versions of OpenShift");
    const auto flags = std::make_shared<PlanFlags>();
    command.add_option("--cluster-version", flags->cluster_version,
                       "The version that the cluster runs (default: with --from-cluster, its own)");
    command.add_option("--to VERSION", flags->to, "The minor version of OpenShift to reach");
    command.add_option(
        "--catalog CATALOG", flags->catalogs,
        "The catalog of a minor version: VERSION=REF, or for all of them a REF with {version} in it");
    command.add_option(
        "--installed NAME|FILE", flags->installed,
        "An installed operator: NAME[@VERSION][,channel=C][,olm=v1][,namespace=N][,manual], or a "
        "file with one in each line; NAME is a bundle or a package");
    command.add_option("--cluster FILE|DIR", flags->cluster,
                       "Manifests of the cluster as kubectl get -o yaml prints them; a directory, or - for "
                       "standard input");
    command.add_flag("--from-cluster", flags->from_cluster,
                     "Plan for what is installed on a cluster, through kubectl");
    add_connection_flags(command, flags->connection);
    command
        .add_choice("--olm", flags->olm, {OlmGeneration::classic, OlmGeneration::v1},
                    "The OLM that upgrades what --installed names: classic or v1")
        .show_default();
    add_olm_release_flags(command, flags->release);
    command.add_flag("--eus", flags->eus,
                     "Work on operators only on even versions of OpenShift 4; odd ones are passed");
    command.add_option("--at DATE", flags->at, "The day whose support counts (default: today)");
    command.add_option("--fleet FILE", flags->fleet.file,
                       "Plan for the clusters in FILE, one JSON object a line; - is standard input");
    add_shard_flags(command, flags->fleet.shard);
    command.add_choice("-o,--output", flags->format,
                       {Form::text, Form::json, Form::markdown, Form::html, Form::commands, Form::imageset},
                       "text (default), json, markdown, html, commands or imageset; with "
                       "--fleet json, or text for the table alone");
    add_image_flags(command, flags->images);
    command.footer(
        "Examples:\n"
        "  opcat plan --cluster-version 4.16.32 --to 4.20 --catalog 'quay.io/x/index:v{version}' \\\n"
        "      --installed quay-operator.v3.9.1,channel=stable-3.9\n"
        "  opcat plan --from-cluster --to 4.18 --catalog 4.16=old/ --catalog 4.17=new/ --catalog "
        "4.18=newer/\n"
        "  opcat plan --cluster-version 4.16.32 --to 4.17 --catalog 'v{version}/' --cluster must-gather/ \\\n"
        "      -o html > plan.html\n"
        "  opcat plan --fleet clusters.jsonl --to 4.20 --catalog 'v{version}/' > plans.jsonl\n\n"
        "Exit status: 0 if every operator reaches the version, 1 if one does not, or if that is not known.");
    command.callback([flags, &session] { run_plan(*flags, session); });
}

} // namespace opcat
