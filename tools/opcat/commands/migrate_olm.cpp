// `opcat migrate-olm plan`: from OLM classic to OLM v1.
#include "classic_inputs.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "input.hpp"
#include "olm_release_flags.hpp"
#include "opcat/base/batch.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/migration/migration.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <set>

namespace opcat {
namespace {

using migration::Standing;

struct PlanOptions {
    std::vector<std::string> cluster;
    std::vector<std::string> catalogs;
    std::string fleet;
    bool from_cluster = false;
    ClusterFlags connection;
    OlmReleaseFlags olm;
    Form output = Form::text;
    ImageFlags images;
};

// The content of catalogs, each loaded once.
class Contents {
public:
    Contents(const PlanOptions& options, Session& session) : options_(options), session_(session) {}

    void load_named() {
        std::vector<std::string> references;
        std::vector<classic::CatalogKey> keys;
        std::set<classic::CatalogKey> seen;
        for (const std::string& text : options_.catalogs) {
            ClassicCatalogOption option = parse_classic_catalog(text);
            if (!seen.insert(option.key).second)
                throw RequestError(fmt::format("catalog {} is given twice", option.key.to_string()));
            if (option.priority)
                throw RequestError(fmt::format("--catalog {}: a priority has no meaning here", text));
            references.push_back(option.reference);
            keys.push_back(option.key);
        }
        std::vector<Source> sources =
            open_each(references, opening(options_.images, session_), session_.pool());
        for (size_t i = 0; i < sources.size(); ++i) add(keys[i], std::move(sources[i]).take());
    }

    void add(const classic::CatalogKey& key, LoadedCatalog loaded) {
        if (!report_findings(loaded.diagnostics, session_))
            throw Error(fmt::format("catalog {} cannot be read", key.to_string()));
        catalogs_.push_back(std::move(loaded));
        graphs_.push_back(build_upgrade_graph(catalogs_.back().catalog, session_.pool()));
        known_.insert_or_assign({key.ns, key.name}, &graphs_.back());
    }

    // From its image, or else from its registry on the cluster.
    void add_live(const classic::CatalogSource& source, const cluster::Kubectl& kubectl) {
        const classic::CatalogKey key{source.ns, source.name};
        if (known_.contains({key.ns, key.name})) return;
        const std::string image(source.text("spec", "image"));
        std::string why = "it names no image";
        try {
            if (!image.empty())
                return add(key, open(image, opening(options_.images, session_), session_.pool()).take());
        } catch (const Error& error) {
            why = error.what();
        }
        try {
            add(key, cluster::load_served(source, read_served(kubectl, source), session_.pool()));
        } catch (const Error& error) {
            session_.print_warning(
                fmt::format("the content of catalog {} is not known: {}; nor can its registry be asked: {}",
                            key.to_string(), why, error.what()));
        }
    }

    const migration::Catalogs& known() const { return known_; }

private:
    const PlanOptions& options_;
    Session& session_;
    std::deque<LoadedCatalog> catalogs_; // the graphs refer to them
    std::deque<UpgradeGraph> graphs_;
    migration::Catalogs known_;
};

void read_live(const PlanOptions& options, Contents& contents, classic::ClusterState& state,
               Session& session) {
    const Connection connection = connect(options.connection, session);
    choose(connection.served, cluster::Olm::classic);
    Diagnostics findings;
    const auto add = [&](const std::vector<cluster::Object>& objects) {
        for (const cluster::Object& object : objects) classic::add_object(object, state, findings);
    };
    std::vector<const char*> optional = cluster::optional_classic_kinds();
    const cluster::ClassicObjects objects =
        cluster::list_classic(connection.kubectl, cluster::Scope::everywhere(), optional);
    for (const std::string& unread : objects.unread) session.print_warning(unread);
    add(objects.for_resolution());
    if (connection.served.v1)
        add(connection.kubectl.list(fmt::format("{},{}", cluster::resource::cluster_extensions,
                                                cluster::resource::cluster_catalogs)));
    print_findings(findings, session);
    std::set<std::pair<std::string, std::string>> used;
    for (const classic::Subscription& subscription : state.subscriptions)
        used.emplace(subscription.source_namespace, subscription.source);
    for (const classic::CatalogSource& source : state.catalog_sources)
        if (used.contains({source.ns, source.name})) contents.add_live(source, connection.kubectl);
}

// ---- for people

std::string as_text(const migration::Plan& plan, const Session& session) {
    std::string rows = "PACKAGE\tNAMESPACE\tINSTALLED\tSTANDING\tWHY\n";
    for (const migration::OperatorPlan& one : plan.operators) {
        std::string why = one.obstacles.empty() ? std::string() : one.obstacles.front().message;
        if (one.obstacles.size() > 1) why += fmt::format(" (and {} more)", one.obstacles.size() - 1);
        rows += fmt::format("{}\t{}\t{}\t{}\t{}\n", escape_controls(one.package), escape_controls(one.ns),
                            escape_controls(one.installed), to_string(one.standing), escape_controls(why));
    }
    std::string text = table_in_locale(rows, session);
    for (const migration::OperatorPlan& one : plan.operators) {
        if (!one.detour) continue;
        const migration::Detour& detour = *one.detour;
        text += fmt::format(
            "\n{}: {} does not have what its bundle has against it; OLM classic reaches it{}: {}\n",
            one.package, detour.bundle,
            detour.channel.empty() ? std::string() : fmt::format(" from channel {}", detour.channel),
            fmt::join(detour.steps, " → "));
    }
    for (const migration::OperatorPlan& one : plan.operators) {
        if (one.standing != Standing::eligible || one.lost.empty()) continue;
        text += fmt::format("\n{} (namespace {}): OLM v1 does not do\n", escape_controls(one.package),
                            escape_controls(one.ns));
        for (const std::string& lost : one.lost)
            text += fmt::format("  - {}\n", escape_controls(on_one_line(lost)));
    }
    std::string catalogs;
    for (const migration::CatalogPlan& catalog : plan.catalogs) {
        catalogs += fmt::format("  {}/{}: {}\n", catalog.ns, catalog.name,
                                !catalog.why_not.empty() ? "cannot move: " + catalog.why_not
                                : catalog.exists
                                    ? fmt::format("ClusterCatalog {} has its image", catalog.cluster_catalog)
                                    : "becomes ClusterCatalog " + catalog.cluster_catalog);
        for (const std::string& remark : catalog.remarks) catalogs += fmt::format("    note: {}\n", remark);
    }
    if (!catalogs.empty()) text += "\ncatalogs\n" + escape_controls_in_lines(catalogs);
    text += fmt::format("\n{}: {} eligible, {} already migrated, {} ineligible, {} in conflict, {} unknown\n",
                        plan.release.describe(), plan.count(Standing::eligible),
                        plan.count(Standing::already_migrated), plan.count(Standing::ineligible),
                        plan.count(Standing::conflict), plan.count(Standing::unknown));
    return text;
}

void print(const migration::Plan& plan, const PlanOptions& options, Session& session) {
    session.out.write(options.output == Form::json       ? as_document(migration::as_json(plan))
                      : options.output == Form::yaml     ? migration::as_yaml(plan)
                      : options.output == Form::markdown ? migration::as_markdown(plan)
                                                         : as_text(plan, session));
    if (!plan.is_whole()) session.exit_status = exit_findings;
}

// ---- a fleet

bool has_operators(const classic::ClusterState& state) {
    return !state.subscriptions.empty() ||
           std::ranges::any_of(state.others, [](const cluster::Object& object) {
               return object.kind() == "ClusterExtension";
           });
}

struct FleetAnswer {
    std::string line;
    bool is_whole = false;
};

FleetAnswer answer_to(const BatchLine& line, const migration::Catalogs& catalogs,
                      const olmv1::OlmRelease& release) {
    nlohmann::ordered_json answer;
    try {
        const nlohmann::ordered_json question = question_in(line);
        answer["cluster"] = string_in(question, "cluster");
        std::vector<std::string> paths;
        if (!question.contains("manifests") || !question["manifests"].is_array())
            throw RequestError("\"manifests\" has to be a list of files and directories");
        for (const auto& path : question["manifests"]) {
            if (!path.is_string() || path.get<std::string>() == "-")
                throw RequestError("\"manifests\" has to be a list of files and directories");
            paths.push_back(path.get<std::string>());
        }
        classic::ClusterState state;
        Diagnostics findings;
        read_cluster_files(paths, state, findings);
        if (!findings.empty()) throw Error(to_text(findings.front(), {}));
        if (!has_operators(state))
            throw Error("there is no Subscription and no ClusterExtension in the manifests");
        const migration::Plan plan = migration::plan_migration(state, catalogs, release);
        answer.update(migration::as_json(plan));
        return {as_batch_line(answer), plan.is_whole()};
    } catch (const Error& error) {
        answer["error"] = why_refused(line, error);
        return {as_batch_line(answer), false};
    }
}

void plan_fleet(const PlanOptions& options, const migration::Catalogs& catalogs, Session& session) {
    const auto file = read_input(options.fleet);
    std::vector<BatchLine> lines;
    for_each_batch_line(*file, [&](const BatchLine& line) { lines.push_back(line); });
    if (lines.empty()) throw RequestError(fmt::format("{} has no questions", options.fleet));
    const olmv1::OlmRelease release = options.olm.read();
    constexpr size_t portion = 256;
    std::vector<FleetAnswer> answers;
    for (size_t first = 0; first < lines.size(); first += portion) {
        answers.assign(std::min(portion, lines.size() - first), {});
        session.pool().for_each(
            answers.size(), [&](size_t i) { answers[i] = answer_to(lines[first + i], catalogs, release); });
        for (const FleetAnswer& answer : answers) {
            session.out.write(answer.line);
            if (!answer.is_whole) session.exit_status = exit_findings;
        }
    }
}

// A cluster without any looks the same as one whose objects were not written to the file.
bool has_v1_objects(const classic::ClusterState& state) {
    return std::any_of(state.others.begin(), state.others.end(), [](const cluster::Object& object) {
        return object.group() == cluster::resource::v1_group;
    });
}

void run(const PlanOptions& options, Session& session) {
    if (options.cluster.empty() == (options.fleet.empty() && !options.from_cluster))
        throw RequestError(options.cluster.empty()
                               ? "no cluster is named"
                               : "--cluster cannot be combined with --fleet or --from-cluster",
                           "use --cluster FILE, --from-cluster or --fleet FILE");
    if (!options.fleet.empty() && options.output != Form::text && options.output != Form::json)
        throw RequestError("--fleet prints JSON Lines");
    Contents contents(options, session);
    contents.load_named();
    if (!options.fleet.empty()) return plan_fleet(options, contents.known(), session);
    classic::ClusterState state;
    if (options.from_cluster) {
        read_live(options, contents, state, session);
    } else {
        Diagnostics findings;
        read_cluster_files(options.cluster, state, findings);
        if (!findings.empty()) {
            print_findings(findings, session);
            session.exit_status = exit_findings;
            return;
        }
    }
    if (!has_operators(state))
        throw RequestError(
            "there is no Subscription and no ClusterExtension in what was read",
            "kubectl get subscriptions,clusterserviceversions,operatorgroups,operatorconditions,"
            "catalogsources -A -o yaml");
    if (!options.from_cluster && !has_v1_objects(state))
        session.print_warning(
            "the manifests hold no object of OLM v1: an operator that it has installed already is "
            "not seen (kubectl get clusterextensions,clustercatalogs -o yaml)");
    print(migration::plan_migration(state, contents.known(), options.olm.read()), options, session);
}

} // namespace

void add_migrate_olm(Command tree, Session& session) {
    const Command group = tree.add_command("migrate-olm", "Plan the move from OLM classic to OLM v1");
    group.needs_command();
    group.footer(
        "Example:\n  opcat migrate-olm plan --cluster cluster.yaml --catalog shop/operators=catalog/");
    const Command command = group.add_command(
        "plan",
        "Which operators of a cluster can move, what is in the way, and the objects that replace them");
    auto& options = command.action<PlanOptions>(run, session);
    command.add_option("--cluster FILE|DIR", options.cluster,
                       "Manifests of the cluster as kubectl get -o yaml prints them; a directory, or - for "
                       "standard input");
    const Option live =
        command.add_flag("--from-cluster", options.from_cluster,
                         "Read a cluster and its catalogs, through kubectl; nothing is changed");
    command
        .add_option("--fleet FILE", options.fleet,
                    "Answer for many clusters: JSON Lines of {\"cluster\": NAME, \"manifests\": [FILE|DIR…]}")
        .excludes(live);
    add_connection_flags(command, options.connection);
    command.add_option(
        "--catalog CATALOG", options.catalogs,
        "The content of a CatalogSource: NAMESPACE/NAME=REF (default with --from-cluster: its image)");
    add_olm_release_flags(command, options.olm);
    command
        .add_choice("-o,--output", options.output, {Form::text, Form::json, Form::yaml, Form::markdown},
                    "text, json, yaml (the objects to apply) or markdown (a runbook)")
        .show_default();
    add_image_flags(command, options.images);
    command.footer(
        "Examples:\n"
        "  opcat migrate-olm plan --from-cluster\n"
        "  opcat migrate-olm plan --cluster must-gather/ --catalog openshift-marketplace/operators=catalog/\n"
        "  opcat migrate-olm plan --from-cluster -o markdown > runbook.md\n"
        "  opcat migrate-olm plan --fleet fleet.jsonl --catalog openshift-marketplace/operators=catalog/\n\n"
        "Nothing is changed on a cluster.\nExit status: 0 if every operator can move or has moved, 1 if not, "
        "or "
        "if that is not known.");
}

} // namespace opcat
