// A project's settings for validation: the file .opcat.yaml (docs/configuration.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/error.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/lint/catalog_settings.hpp"
#include "opcat/lint/openshift_version.hpp"
#include "opcat/lint/own_queries.hpp"
#include "opcat/lint/own_rules.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

constexpr std::string_view configuration_file_name = ".opcat.yaml";

enum class Level : uint8_t { off, note, warning, error };

constexpr std::string_view level_names[] = {"off", "note", "warning", "error"};
std::string_view to_string(Level level);

// The official pipelines whose verdicts opcat gives (policy/policy.hpp).
constexpr std::string_view policy_names[] = {"konflux", "community", "certified", "olm-v1"};

// A setting, and its origin: "FILE:LINE:COLUMN", or the flag.
template <class T>
struct Setting {
    T value;
    std::string origin;
};
using RuleSettings = std::map<std::string_view, Setting<Level>>; // by ids of rules

// Adds the setting "NAME=LEVEL"; `origin` is its name in messages. Returns why the text is wrong.
// `own_rules` are those of a configuration.
std::optional<ParseError> add_rule_setting(std::string_view text, const std::string& origin,
                                           std::span<const OwnRule> own_rules, RuleSettings& settings);

// Settings for some packages and files; for all if neither is named.
struct RuleOverride {
    std::vector<std::string> packages; // as they were written
    std::vector<std::string> paths;
    RuleSettings rules;

    // `path` are the components of a file's path from the configuration's directory.
    bool matches(std::string_view package, std::span<const std::string_view> path) const;

    std::vector<NamePattern> package_patterns;
    IgnoreRules path_patterns;
};

struct Configuration {
    std::filesystem::path directory; // base directory of the file's paths and patterns; absolute, or empty
    RuleSettings rules;
    std::vector<RuleOverride> overrides; // the last matching one counts
    RuleSettings overriding;             // those of the command line, which override all others
    std::vector<Setting<std::filesystem::path>> schemas; // files of CUE
    std::vector<Setting<std::string_view>> policies;     // of policy_names
    std::vector<CatalogSetting> catalogs;                // in their order
    std::vector<OwnRule> own_rules;                      // in addition to the table of rules
    std::vector<OwnQuery> queries;                       // in their order
    std::vector<std::string> registries;           // that images may be in (AllowedRegistries); empty: in all
    std::optional<OpenShiftVersion> openshift;     // of the command line
    std::optional<Setting<uint64_t>> largest_file; // bytes, like the following
    std::optional<Setting<uint64_t>> largest_image; // unpacked
    std::optional<Setting<uint64_t>> largest_icon;

    // The level for findings of a rule in a package and a file (as shown); nothing: unchanged.
    std::optional<Level> level_of(std::string_view rule, std::string_view package,
                                  const SourceFile* file) const;
    bool changes_levels() const { return !rules.empty() || !overrides.empty() || !overriding.empty(); }
};

// A file that is in the place of a configuration, and not read.
struct PassedOver {
    std::filesystem::path file;
    std::string why; // "it belongs to another user (uid 1001)"
};

struct FoundConfiguration {
    std::optional<std::filesystem::path> file;
    std::vector<PassedOver> passed_over;
};

// The file that applies to a catalog: in its directory, or the nearest one above that is in the same
// repository of git. Where there is no repository, up to the one of the `folders` that it is in (which the
// user has opened, in an editor), else only in the directory itself: what lies above need not be the user's.
// Only files of the user and of root are taken. A link must be theirs, too, and lead to a file of the same
// name in the repository: what is wrong in another file would be shown, whatever that is.
FoundConfiguration find_configuration_file(const std::filesystem::path& catalog,
                                           std::span<const std::string> folders = {});

// Reads a configuration file in `directory` (absolute). Mistakes are added to `diagnostics`: errors of rule
// "configuration", with the nearest names for a rule that does not exist. Schemas must be files of CUE in
// this directory or below it, also by links.
Configuration read_configuration(const SourceFile& file, const std::filesystem::path& directory,
                                 Diagnostics& diagnostics);

} // namespace opcat
