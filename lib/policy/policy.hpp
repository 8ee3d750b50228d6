// The checks of the official pipelines for catalogs and repositories of operators (docs/policies.md): their
// tables, and one run of them.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lint/pinning.hpp"
#include "opcat/policy/changes.hpp"
#include "opcat/policy/konflux.hpp"
#include "opcat/policy/static_checks.hpp"
#include "opcat/readiness/readiness.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::policy {

enum class Pipeline : uint8_t {
    konflux,
    community,
    certified,
    olm_v1
}; // policy_names of lint/configuration.hpp

std::string_view to_string(Pipeline policy);
// `name` is one of policy_names.
Pipeline pipeline_named(std::string_view name);

// The tasks, as reports and lists name them.
constexpr std::string_view changes_task = "detect-changes";
constexpr std::string_view catalogs_task = "validate-catalog-format";
constexpr std::string_view fragment_task = "validate-fbc";
constexpr std::string_view pruning_task = "fbc-target-index-pruning-check";
constexpr std::string_view conforma_task = "conforma";
constexpr std::string_view readiness_task = "olm-v1";

// The repository and the commit whose checks a policy mirrors.
std::string_view upstream_of(Pipeline policy);

struct CheckInfo {
    std::string_view task;
    std::string_view name;
    std::string_view what;     // what it asks for, as a sentence without a full stop
    std::string_view not_here; // why it is not checked here; empty: it is
    std::string_view fix;      // what to change; empty: the messages say it
};

// In the order in which the pipeline runs them.
std::vector<CheckInfo> checks_of(Pipeline policy);

// The result of the checks for OLM v1. `graph`: what the packages refer to.
struct ReadinessRun {
    olmv1::OlmRelease release = {};
    std::shared_ptr<const UpgradeGraph> graph = {};
    std::vector<readiness::PackageReadiness> packages = {};
};

struct PolicyRun {
    Pipeline policy = Pipeline::konflux;
    std::optional<TaskVerdict> fragment = {}; // validate-fbc
    std::optional<TaskVerdict> pruning = {};
    std::optional<ReadinessRun> readiness = {};
    std::optional<StaticResults> static_tests = {};
    std::optional<std::vector<ChangeError>> changes = {};
    std::map<std::string, bool> catalogs = {};            // whether opm accepts them
    Diagnostics refused = {};                             // what it refuses in them
    std::optional<RequestError> unknown = {};             // a name that users give: the pipeline passes it
    std::vector<TaskMessage> conforma = {};               // of check_related_images
    std::vector<std::string_view> checked_here = {};      // names of CheckInfo that usually are not
    std::vector<NotChecked> not_checked = {};             // in addition to those of static_tests
    std::vector<std::shared_ptr<const void>> owners = {}; // of what places refer to
    std::optional<Source> catalog = {};                   // that was judged; nothing: a repository, or none
};

// One JSON object (docs/policies.md).
std::string report_of(const PolicyRun& run);

// For people: each with its check and what to change. What a pipeline passes by mistake is a warning. Images
// that should have digests get those as a fix.
Diagnostics findings_of(const PolicyRun& run, const ImageDigests& digests = {});

// Everything that the pipeline checks and this run did not.
std::vector<NotChecked> not_checked_by(const PolicyRun& run);

} // namespace opcat::policy
