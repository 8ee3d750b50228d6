// Reports contents that OLM would not install (outcome.hpp).
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/bundle_checks/v1_reliance.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::bundle_checks {
namespace {

OutcomeConditions conditions_of(const BundleCheckOptions& options) {
    OutcomeConditions conditions;
    if (const auto version = semver::Version::parse_tolerant(options.kubernetes_version))
        conditions.served = admission::ServedApis(version->minor);
    conditions.olm_v1 = options.olm_v1.value_or(olmv1::OlmRelease());
    return conditions;
}

// The finding about the misspelt field without which the problem would not be there: the API server says
// "PATH.FIELD: Required value" of the field that was meant. nullptr: there is none, or it says more.
Diagnostic* find_cause(const OutcomeProblem& problem, const std::vector<MisspeltField>& misspelt,
                       Diagnostics& out) {
    for (const MisspeltField& field : misspelt) {
        if (!problem.where || field.object.file != problem.where.file ||
            field.object.offset != problem.where.offset ||
            problem.message.find(fmt::format(".{}:", field.meant)) == std::string::npos ||
            problem.message.find(": [") != std::string::npos)
            continue;
        const auto cause = std::ranges::find_if(out, [&](const Diagnostic& known) {
            return known.where.file == field.key.file && known.where.offset == field.key.offset;
        });
        if (cause != out.end()) return &*cause;
    }
    return nullptr;
}

// `is_asked_for`: the user wants to hear of it even if another finding is at the same place, or if there is
// no place.
template <typename Find>
void add(const BundleOutcome& outcome, bool is_asked_for, const std::vector<MisspeltField>& misspelt,
         Diagnostics& out, Find find) {
    for (const OutcomeProblem& problem : outcome.problems) {
        const bool is_known = std::any_of(out.begin(), out.end(), [&](const Diagnostic& known) {
            return known.where.file == problem.where.file && known.where.offset == problem.where.offset;
        });
        if (problem.of_cluster || (!is_asked_for && (!problem.where || is_known))) continue;
        const bool has_reason = !problem.because.empty();
        Diagnostic found = find(problem, has_reason ? problem.because : problem.message);
        if (Diagnostic* const cause = find_cause(problem, misspelt, out)) {
            if (found.severity < cause->severity)
                cause->notes.push_back({problem.stage + ": " + problem.message, {}});
            cause->severity = std::min(cause->severity, found.severity);
            continue;
        }
        if (has_reason) found.notes.push_back({problem.stage + ": " + problem.message, {}});
        out.push_back(std::move(found));
    }
}

// Dependencies and APIs that the operator requires: opm makes properties of both.
void check_v1_dependencies(const Format& format, const Source& bundle, Diagnostics& out) {
    const auto refuse = [&](Location where, std::string_view what) {
        out.push_back(error(
            "v1-dependencies", where,
            fmt::format("the bundle requires {}, and OLM v1 installs no bundle with dependencies", what)));
    };
    for (const TypedValue& dependency : format.dependencies)
        refuse({dependency.file, dependency.offset, 1}, dependency.type);
    for (const std::string_view kind : {"customresourcedefinitions", "apiservicedefinitions"})
        for (const kube::Fields required : bundle.csv.items("spec", kind, "required"))
            refuse(place_of(bundle.csv, required), required.text("kind"));
}

} // namespace

void check_outcome(const Format& format, const Source& bundle, const BundleCheckOptions& options,
                   const std::vector<MisspeltField>& misspelt, Diagnostics& out) {
    const BundleManifests manifests = manifests_of(bundle);
    const OutcomeConditions conditions = conditions_of(options);
    add(classic_outcome(manifests, conditions), false, misspelt, out,
        [](const OutcomeProblem& problem, std::string message) {
            return error("olm-classic", problem.where, std::move(message));
        });
    // Many bundles are for OLM classic only.
    const bool for_v1 = options.olm_v1.has_value();
    add(v1_outcome(manifests, conditions), for_v1, misspelt, out,
        [&](const OutcomeProblem& problem, std::string message) {
            return finding(for_v1 ? Severity::error : Severity::note, for_v1 ? problem.rule : "olm-v1",
                           problem.where, std::move(message));
        });
    if (!for_v1) return;
    check_v1_dependencies(format, bundle, out);
    for (Reliance& one : reliance_on_classic(bundle.csv))
        out.push_back(
            with_note(warning(one.rule, one.where, std::move(one.message)), std::string(one.since)));
}

} // namespace opcat::bundle_checks
