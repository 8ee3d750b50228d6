#include "cluster_flags.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/bundle_checks/catalog_outcome.hpp"
#include "opcat/cluster/dry_run.hpp"
#include "opcat/olm/package_graph.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace opcat {
namespace {

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
    const LoadedCatalog rendered = load_bundle_directory(files.front().directory);
    print_findings(rendered.diagnostics, session);
    add_catalog_outcome(rendered, options.olm, outcome);
    session.out.write(options.output == Form::json ? outcome_as_json(outcome)
                                                   : outcome_as_text(outcome, options.olm));
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
