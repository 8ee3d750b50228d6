#include "cluster_flags.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/cluster/dry_run.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/resolve/classic/requirement.hpp"
#include "opcat/resolve/v1/resolver.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

struct BundlePredictOptions {
    ClusterFlags cluster;
    ImageFlags images;
    std::string reference;
    OlmGeneration olm = OlmGeneration::classic;
    std::string kubernetes; // empty: the newest that is known
    std::string ns = "default";
    Form output = Form::text;
};

bool asks_cluster(const BundlePredictOptions& options) {
    return !options.cluster.context.empty() || !options.cluster.kubeconfig.empty();
}

OutcomeConditions assumed_conditions(const BundlePredictOptions& options) {
    OutcomeConditions conditions;
    conditions.ns = options.ns;
    conditions.kubernetes_version = fmt::format("1.{}.0", admission::newest_known_minor);
    if (options.kubernetes.empty()) return conditions;
    const semver::Version version = read_kubernetes_version(options.kubernetes, "--kubernetes 1.36");
    conditions.served = admission::ServedApis(version.minor);
    conditions.kubernetes_version = fmt::format("1.{}.{}", version.minor, version.patch);
    return conditions;
}

BundleOutcome outcome_of(const BundleManifests& bundle, const BundlePredictOptions& options,
                         Session& session) {
    if (!options.ns.empty()) cluster::require_namespace(options.ns);
    const bool is_classic = options.olm == OlmGeneration::classic;
    const auto predict = is_classic ? classic_outcome : v1_outcome;
    if (!asks_cluster(options)) {
        const OutcomeConditions conditions = assumed_conditions(options);
        BundleOutcome outcome = predict(bundle, conditions);
        if (conditions.served.is_newer_than_known())
            outcome.not_checked.push_back(
                fmt::format("what Kubernetes {} removes: 1.{} is the newest that is known",
                            options.kubernetes, admission::newest_known_minor));
        const auto parts = unjudged_parts(bundle);
        if (!parts.empty() && std::ranges::all_of(outcome.problems, &OutcomeProblem::of_cluster))
            outcome.not_checked.push_back(fmt::format(
                "what only an API server knows (--context asks one): {}", fmt::join(parts, "; ")));
        return outcome;
    }
    const Connection connection = connect(options.cluster, session);
    BundleOutcome outcome =
        predict(bundle, {.served = admission::ServedApis(connection.kubectl.api_versions()),
                         .kubernetes_version = connection.kubectl.server_version(),
                         .ns = options.ns});
    const cluster::Olm olm = is_classic ? cluster::Olm::classic : cluster::Olm::v1;
    cluster::decide_by_dry_run(connection.kubectl, {.bundle = bundle, .olm = olm, .ns = options.ns}, outcome);
    return outcome;
}

// Why OLM classic does not choose a bundle with a requirement that no catalog can meet; nothing if one can.
std::optional<OutcomeProblem> problem_with_requirement(const Bundle& bundle, const Property& property) {
    Arena arena;
    const auto requirement = classic::requirement_of({property.type, normalised(*property.value, arena), {}});
    if (!requirement) return std::nullopt;
    OutcomeProblem problem{.stage = "Subscription ResolutionFailed", .message = {}, .because = {}};
    if (!*requirement) {
        problem.message = requirement->error();
        return problem;
    }
    const classic::Predicate& predicate = (*requirement)->predicate;
    if (!predicate.range || !predicate.range->is_impossible()) return std::nullopt;
    problem.message = fmt::format("bundle {} requires an operator {}", bundle.name.text, predicate.text);
    problem.because = "no version is in this range";
    return problem;
}

// OLM classic installs it only with what it requires.
void add_requirements(const Bundle& bundle, BundleOutcome& outcome) {
    std::set<std::string> requirements;
    std::vector<OutcomeProblem> impossible;
    for (const Property& property : bundle.properties) {
        if (property.value)
            if (auto problem = problem_with_requirement(bundle, property)) {
                impossible.push_back(*std::move(problem));
                continue;
            }
        const kube::Fields value = property.value ? kube::Fields(*property.value) : kube::Fields();
        if (property.type == property_type::package_required)
            requirements.insert(
                fmt::format("package {} {}", value.text("packageName"), value.text("versionRange")));
        else if (property.type == property_type::gvk_required)
            requirements.insert(
                fmt::format("{} {}/{}", value.text("kind"), value.text("group"), value.text("version")));
        else if (property.type == property_type::constraint)
            requirements.insert(value.text("failureMessage").empty()
                                    ? std::string("a constraint")
                                    : std::string(value.text("failureMessage")));
    }
    outcome.problems.insert(outcome.problems.begin(), impossible.begin(), impossible.end());
    if (!requirements.empty())
        outcome.not_checked.push_back(fmt::format(
            "whether the cluster's catalogs have what the bundle requires: {}", listed(requirements)));
}

// OLM v1 does not come to the manifests of a bundle with dependencies. Those by required definitions are in
// the catalog only if opm rendered it.
void add_dependencies(const std::filesystem::path& directory, OlmGeneration olm, BundleOutcome& outcome,
                      Session& session) {
    const LoadedCatalog rendered = load_bundle_directory(directory);
    print_findings(rendered.diagnostics, session);
    if (rendered.catalog.bundles.empty()) {
        const std::string why =
            rendered.diagnostics.empty() ? "" : ": " + rendered.diagnostics.front().message;
        // opm reads no other folder than manifests, and OLM neither.
        if (std::ranges::find(rendered.diagnostics, "bundle-csv", &Diagnostic::rule) !=
            rendered.diagnostics.end())
            outcome.problems.push_back({.stage = "not in a catalog",
                                        .message = "opm cannot render the bundle" + why,
                                        .because = {}});
        else
            outcome.not_checked.push_back("whether a catalog can have the bundle, which opm cannot render" +
                                          why);
        return;
    }
    const Bundle& bundle = rendered.catalog.bundles.front();
    // opm renders it, and refuses the catalog; one that was written by hand may have another version.
    if (const BundleVersion version = version_of(bundle, false); !version)
        outcome.not_checked.push_back(fmt::format(
            "whether a catalog can have the bundle, whose version opm refuses: {}", version.error()));
    if (olm == OlmGeneration::classic) return add_requirements(bundle, outcome);
    const std::string refusal = olmv1::refused_dependency(bundle);
    if (refusal.empty()) return;
    const bool is_explicit =
        std::any_of(bundle.properties.begin(), bundle.properties.end(), [](const Property& property) {
            return property.type == property_type::package_required ||
                   property.type == property_type::constraint;
        });
    if (is_explicit)
        outcome.problems.insert(
            outcome.problems.begin(),
            {.stage = "ClusterExtension not installed", .message = refusal, .because = {}});
    else
        outcome.not_checked.emplace_back(
            "the catalog: if opm rendered it, it has olm.gvk.required for what the "
            "bundle requires, and OLM v1 chooses no bundle with dependencies");
}

Json json_of(const OutcomeProblem& problem) {
    Json json{{"stage", problem.stage}, {"message", problem.message}};
    if (!problem.because.empty()) json["because"] = problem.because;
    if (problem.where) {
        json["file"] = problem.where.file->path();
        json["line"] = problem.where.file->position(problem.where.offset).line;
    }
    if (problem.of_cluster) json["dependsOnCluster"] = true;
    return json;
}

void print_json(const BundleOutcome& outcome, Session& session) {
    Json json{{"schema", "opcat.bundle-predict.v1"},
              {"succeeds", outcome.succeeds()},
              {"stage", outcome.succeeds() ? outcome.stage : outcome.problems.front().stage},
              {"message", outcome.succeeds() ? "" : outcome.problems.front().message}};
    json["problems"] = Json::array();
    for (const OutcomeProblem& problem : outcome.problems) json["problems"].push_back(json_of(problem));
    json["notChecked"] = outcome.not_checked;
    session.out.write(as_document(json));
}

void print_text(const BundleOutcome& outcome, const std::string& olm, Session& session) {
    std::string text;
    if (outcome.succeeds()) {
        text = fmt::format("{} would install the bundle: {}\n", olm, outcome.stage);
    } else {
        text = fmt::format("{} would not install the bundle: {}\n", olm, outcome.problems.front().stage);
        for (const OutcomeProblem& problem : outcome.problems) {
            text += fmt::format("  {}\n", for_terminal(std::string(trim_white_space(problem.message)), 2));
            if (!problem.because.empty()) text += fmt::format("    {}\n", for_terminal(problem.because, 4));
            if (problem.where)
                text += fmt::format("    at {}:{}\n", escape_controls(problem.where.file->path()),
                                    problem.where.file->position(problem.where.offset).line);
        }
    }
    for (const std::string& what : outcome.not_checked)
        text += fmt::format("  not checked: {}\n", for_terminal(what, 2));
    session.out.write(text);
}

void run(const BundlePredictOptions& options, Session& session) {
    if (asks_cluster(options) && !options.kubernetes.empty())
        throw RequestError("the cluster says which Kubernetes it is", "leave out --kubernetes, or --context");
    if (!names_image(options.reference, session.manner()) &&
        std::filesystem::is_directory(options.reference) && !is_bundle_directory(options.reference))
        throw RequestError(fmt::format("{} is not the directory of a bundle", options.reference),
                           "it has the folders manifests and metadata");
    const std::vector<BundleFiles> files =
        open_bundle_files({options.reference}, opening(options.images, session), session.pool());
    const ReadBundle bundle = read_manifests(files.front().directory, files.front().shown);
    if (!report_findings(bundle.problems, session)) return;
    BundleOutcome outcome = outcome_of(bundle.manifests, options, session);
    add_dependencies(files.front().directory, options.olm, outcome, session);
    if (options.output == Form::json)
        print_json(outcome, session);
    else
        print_text(outcome, fmt::format("OLM {}", to_string(options.olm)), session);
    if (!outcome.succeeds()) session.exit_status = exit_findings;
}

} // namespace

void add_bundle_predict(Command bundle, Session& session) {
    const Command command =
        bundle.add_command("predict", "Predict whether OLM would install a bundle, and where it would fail");
    auto& options = command.action<BundlePredictOptions>(run, session);
    command.add_option("REF", options.reference, "A bundle: a directory or an image").required();
    command.add_choice("--olm", options.olm, {OlmGeneration::classic, OlmGeneration::v1}, "classic or v1")
        .required();
    command.add_option("--kubernetes VERSION", options.kubernetes,
                       fmt::format("Assume a cluster of this version of Kubernetes (default: 1.{})",
                                   admission::newest_known_minor));
    command.add_option("-n,--namespace", options.ns, "The namespace to install into").show_default();
    command.add_choice("-o,--output", options.output, {Form::text, Form::json}, "text or json")
        .show_default();
    add_image_flags(command, options.images);
    add_connection_flags(command, options.cluster);
    command.footer(
        "The contents of the bundle decide, together with what is assumed of the cluster: Kubernetes' own "
        "APIs, "
        "an OperatorGroup that fits (OLM classic), the standard feature set and an account with all rights "
        "(OLM v1). With --context or --kubeconfig the cluster says what it has, and its API server judges "
        "the objects in a dry "
        "run. The messages are those that OLM would show.\n\n"
        "Examples:\n"
        "  opcat bundle predict bundle/ --olm classic\n"
        "  opcat bundle predict registry.example/shop-bundle:v1.0.0 --olm v1 --kubernetes 1.33 -o json\n"
        "  opcat bundle predict bundle/ --olm v1 --context test -n shop\n\n"
        "Exit status: 0 if OLM would install it, 1 if not.");
}

} // namespace opcat
