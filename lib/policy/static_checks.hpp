// The static tests of the pipelines of operator repositories (operatorcert/static_tests at the commit that
// policy.hpp names), with their verdicts and their words.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/selection.hpp"
#include "opcat/policy/operator_repo.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::policy {

constexpr std::string_view static_tests_task = "static-tests"; // as reports and lists name them

struct StaticOutput {
    std::string_view check;
    Severity severity = Severity::error;
    std::string message; // the official words; of a note, ours
    Location where;
};

struct StaticResults {
    std::vector<StaticOutput> outputs; // errors and warnings, as the official tool lists them
    std::vector<StaticOutput> notes;   // what it passes by mistake
    std::vector<NotChecked> not_checked;
};

// Collects the findings of the check that runs.
class Findings {
public:
    Findings(std::string_view check, StaticResults& results) : check_(check), results_(results) {}

    void error(std::string message, Location where);
    void warn(std::string message, Location where);
    // The pipeline passes this by mistake.
    void passed_by_mistake(std::string message, Location where);
    void not_checked(std::string why);

private:
    std::string_view check_;
    StaticResults& results_;
};

enum class Suite : uint8_t { community, certified, common };

// Which checks run on what. An exception of Python ends a check and is an error of it.
template <class Target>
struct StaticCheck {
    std::string_view name;
    Suite suite;
    bool skips_catalogs; // not for operators whose ci.yaml has fbc.enabled
    void (*run)(const Target&, Findings&);
    std::string_view what; // as in CheckInfo of policy.hpp, like the following
    std::string_view not_here;
    std::string_view fix;
};
using CatalogList = std::vector<const OperatorCatalog*>;

std::span<const StaticCheck<Operator>> operator_checks();
std::span<const StaticCheck<OperatorBundle>> bundle_checks();
std::span<const StaticCheck<CatalogList>> catalog_checks();

struct StaticRequest {
    Suite suite = Suite::community;         // and the common one
    std::string operator_name = {};         // empty: none
    std::vector<std::string> bundles = {};  // directories of the operator, which is checked once
    std::vector<std::string> catalogs = {}; // "v4.18/operator"
    std::vector<std::string> waived = {};   // checks that do not run
};

// The operator, its bundles and the catalogs, if they are there: what a pull request removes is not checked.
StaticResults run_static_checks(const Repository& repository, const StaticRequest& request);

// ---- the checks, by file

void check_operator_name(const OperatorBundle& bundle, Findings& findings);
void check_operator_name_unique(const Operator& owner, Findings& findings);
void check_operator_version_directory_name(const OperatorBundle& bundle, Findings& findings);

void check_dangling_bundles(const OperatorBundle& bundle, Findings& findings);
void check_pruned_graph(const OperatorBundle& bundle, Findings& findings);
void check_replaces_availability(const OperatorBundle& bundle, Findings& findings);
void check_upgrade_graph_loop(const Operator& owner, Findings& findings);

void check_bundle_release_config(const OperatorBundle& bundle, Findings& findings);
void check_catalog_usage_ci_config(const Operator& owner, Findings& findings);
void check_ci_upgrade_graph(const Operator& owner, Findings& findings);
void check_schema_operator_ci_config(const Operator& owner, Findings& findings);
void check_validate_schema_bundle_release_config(const OperatorBundle& bundle, Findings& findings);

void check_api_version_constraints(const OperatorBundle& bundle, Findings& findings);
void check_required_fields(const OperatorBundle& bundle, Findings& findings);

void check_bundle_images_in_fbc(const CatalogList& catalogs, Findings& findings);
void check_olm_bundle_object_in_fbc(const CatalogList& catalogs, Findings& findings);

} // namespace opcat::policy
