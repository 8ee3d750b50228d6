#include "opcat/bundle_checks/catalog_outcome.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/resolve/classic/requirement.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

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

} // namespace

void add_catalog_outcome(const LoadedCatalog& rendered, OlmGeneration olm, BundleOutcome& outcome) {
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

std::string outcome_as_json(const BundleOutcome& outcome) {
    Json json{{"schema", "opcat.bundle-predict.v1"},
              {"succeeds", outcome.succeeds()},
              {"stage", outcome.succeeds() ? outcome.stage : outcome.problems.front().stage},
              {"message", outcome.succeeds() ? "" : outcome.problems.front().message}};
    json["problems"] = Json::array();
    for (const OutcomeProblem& problem : outcome.problems) json["problems"].push_back(json_of(problem));
    json["notChecked"] = outcome.not_checked;
    return as_document(json);
}

std::string outcome_as_text(const BundleOutcome& outcome, OlmGeneration generation) {
    const std::string olm = fmt::format("OLM {}", to_string(generation));
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
    return text;
}

} // namespace opcat
