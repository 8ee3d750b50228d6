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
    const auto add = [&](const BundleOutcome& outcome, const auto& find) {
        for (const OutcomeProblem& problem : outcome.problems) {
            const bool is_known = std::any_of(out.begin(), out.end(), [&](const Diagnostic& known) {
                return known.where.file == problem.where.file && known.where.offset == problem.where.offset;
            });
            if (problem.of_cluster || !problem.where || is_known) continue;
            const bool has_reason = !problem.because.empty();
            Diagnostic found = find(problem.where, has_reason ? problem.because : problem.message);
            if (has_reason) found.notes.push_back({problem.stage + ": " + problem.message, {}});
            out.push_back(std::move(found));
        }
    };
    add(classic_outcome(manifests, conditions),
        [](Location where, std::string message) { return error("olm-classic", where, std::move(message)); });
    // Many bundles are for OLM classic only.
    add(v1_outcome(manifests, conditions), [](Location where, std::string message) {
        return finding(Severity::note, "olm-v1", where, std::move(message));
    });
}

} // namespace opcat::bundle_checks
