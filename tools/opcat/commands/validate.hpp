// The request of `opcat validate`, and what --fix does with it.
#pragma once

#include "catalog_options.hpp"
#include "configuration.hpp"
#include "form.hpp"
#include "olm_release_flags.hpp"
#include "opcat/lint/changes.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/pinning.hpp"
#include "opcat/lint/schemas.hpp"
#include "opcat/policy/run.hpp"
#include "references.hpp"
#include "report_flags.hpp"
#include "sharding.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

// Of `--policy` (validate_policy.hpp).
struct PolicyFlags {
    std::vector<std::string> policies;
    policy::FragmentRequest fragment;
    policy::RepositoryRequest repository;
    OlmReleaseFlags olm;
    std::string report;
};

struct ValidateOptions {
    ReferenceFlags from;
    std::vector<std::string> references; // all of them
    std::vector<std::string> schema_files;
    ConfigurationFlags configuration;
    ReportFlags report;
    ShardFlags shard;
    bool fix = false;
    bool diff = false; // show what --fix would do
    bool unsafe_fixes = false;
    std::string lock; // of images whose tags --fix pins
    bool allow_empty = false;
    bool watch = false;
    PolicyFlags policy;
    std::optional<Form> opm_output; // of the name opm
    std::string openshift;
    std::vector<std::string> registries; // that images may be in
    std::string changed_since;
    ImageFlags images;
    TemplateUse templates;
};

// How one reference is checked.
struct LintSettings {
    Configuration configuration;
    std::unique_ptr<Schemas> schemas; // with those of users; nullptr: the format's own
};

// Checks in addition to the format's own rules, for each reference.
struct Project {
    std::vector<LintSettings> settings;
    std::vector<Source> catalogs;
    std::vector<std::unique_ptr<ChangedParts>> changed;
    std::vector<std::vector<std::string>> policies; // given with --policy or configured, for each catalog
    ImageDigests digests;                           // of --lock
};

// With what the project's rules in SQL find.
LintInput input_of(const Source& catalog, const LintSettings& settings, Session& session);

// That of a reference, with what the flags add to it. Nothing if it has errors, which have been reported.
std::optional<Configuration> configuration_of(const std::string& reference, const ValidateOptions& options,
                                              Session& session);

// Nothing if they have errors, which have been reported.
std::optional<LintSettings> settings_for(const std::string& reference, const ValidateOptions& options,
                                         Session& session);
std::optional<std::vector<LintSettings>> load_settings(const ValidateOptions& options, Session& session);

// A catalog that could not be opened, with the reason.
Source unreachable(const std::string& reference, const ItemFailure& failure);

// A reference that cannot be opened does not hide the findings of the others.
std::vector<Source> open_all(const ValidateOptions& options, const std::vector<LintSettings>& settings,
                             Session& session);
Project load_project(const ValidateOptions& options, std::vector<LintSettings> settings, Session& session);

// With the tightest limits of all of them.
OpenOptions how_to_open(const ValidateOptions& options, const std::vector<LintSettings>& settings,
                        Session& session);

// Returns true if a reference names files, which --fix can change.
bool names_files(const std::string& reference);

// Applies fixes to the files of all references, or shows the changes; returns their number.
size_t fix_files(const ValidateOptions& options, const Project& project, Session& session);

// How many safe fixes --fix would apply, for the summary: "2 can be corrected by --fix"; empty if none. Which
// ones can be applied together, only trying them says, which is not worth many times the work of the checks.
std::string describe_fixes(const ValidateOptions& options, const Project& project, const LintResult& checked,
                           Session& session);

} // namespace opcat
