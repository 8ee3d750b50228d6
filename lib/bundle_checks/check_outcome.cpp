// What OLM would not install, as findings (outcome.hpp).
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/version.hpp"

#include <algorithm>

namespace opcat::bundle_checks {
namespace {

OutcomeConditions conditions_of(std::string_view kubernetes_version) {
    OutcomeConditions conditions;
    if (const auto version = semver::Version::parse_tolerant(kubernetes_version))
        conditions.served = admission::ServedApis(version->minor);
    return conditions;
}

} // namespace

void check_outcome(const Source& bundle, std::string_view kubernetes_version, Diagnostics& out) {
    const BundleManifests manifests = manifests_of(bundle);
    const OutcomeConditions conditions = conditions_of(kubernetes_version);
    const auto add = [&](const BundleOutcome& outcome, Severity severity, std::string_view rule) {
        for (const OutcomeProblem& problem : outcome.problems) {
            const bool is_known = std::any_of(out.begin(), out.end(), [&](const Diagnostic& known) {
                return known.where.file == problem.where.file && known.where.offset == problem.where.offset;
            });
            if (problem.of_cluster || !problem.where || is_known) continue;
            Diagnostic found = finding(severity, rule, problem.where,
                                       problem.because.empty() ? problem.message : problem.because);
            if (!problem.because.empty()) found.notes.push_back({problem.stage + ": " + problem.message, {}});
            out.push_back(std::move(found));
        }
    };
    add(classic_outcome(manifests, conditions), Severity::error, "olm-classic");
    // Many bundles are for OLM classic only.
    add(v1_outcome(manifests, conditions), Severity::note, "olm-v1");
}

} // namespace opcat::bundle_checks
