#include "configuration.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/query/sql_rules.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {

namespace fs = std::filesystem;

void add_configuration_flags(Command command, ConfigurationFlags& flags) {
    const Command configuration = command.under("Configuration");
    const Option file = configuration.add_option(
        "--config FILE", flags.file,
        "Configuration file, instead of .opcat.yaml in the catalog's directory or above");
    configuration.add_flag("--no-config", flags.none, "Read no configuration").excludes(file);
    configuration.add_option("--rule NAME=LEVEL", flags.rules,
                             "Set the level of a rule: off, note, warning or error");
}

std::string as_people_write(const fs::path& file) {
    const fs::path absolute = fs::absolute(file).lexically_normal();
    const fs::path relative = absolute.lexically_relative(fs::current_path());
    const bool below = !relative.empty() && *relative.begin() != "..";
    return (below ? relative : absolute).string();
}

FoundConfiguration configuration_file_for(const std::string& reference, const ConfigurationFlags& flags,
                                          const Session& session) {
    if (!flags.file.empty()) return {.file = flags.file, .passed_over = {}};
    if (flags.none) return {};
    return find_configuration_file(
        reference == "-" || kind_of(reference, session.manner()) != ReferenceKind::path ? "." : reference);
}

namespace {

// Returns true if there are some.
bool show_mistakes(Diagnostics& problems, Session& session) {
    if (problems.empty()) return false;
    sort_by_place(problems);
    print_findings(problems, session);
    session.exit_status = exit_usage;
    return true;
}

} // namespace

std::optional<Configuration> configuration_for(const std::string& reference, const ConfigurationFlags& flags,
                                               Session& session) {
    const FoundConfiguration found = configuration_file_for(reference, flags, session);
    for (const PassedOver& file : found.passed_over)
        session.print_warning(
            fmt::format("{} is not read: {} (--config reads it)", as_people_write(file.file), file.why));
    Configuration configuration;
    if (found.file) {
        const fs::path absolute = fs::absolute(*found.file).lexically_normal();
        const auto file = read_file(absolute, as_people_write(absolute));
        Diagnostics problems;
        configuration = read_configuration(*file, absolute.parent_path(), problems);
        if (show_mistakes(problems, session)) return std::nullopt;
        query::require_valid(configuration.own_rules, configuration.queries);
    }
    for (const std::string& rule : flags.rules)
        if (const auto reason =
                add_rule_setting(rule, "--rule", configuration.own_rules, configuration.overriding))
            throw RequestError(fmt::format("invalid --rule {}: {}", go_quote(rule), reason->message),
                               reason->help);
    return configuration;
}

std::optional<std::vector<CatalogSetting>> mapped_catalogs(const fs::path& directory, Session& session) {
    const fs::path absolute = fs::weakly_canonical(directory);
    const fs::path path = absolute / "ci.yaml";
    std::error_code absent;
    // Not of a link: what is wrong in another file would be shown.
    if (absolute.parent_path().filename() != "operators" ||
        !fs::is_regular_file(fs::symlink_status(path, absent)))
        return std::vector<CatalogSetting>();
    const auto file = read_file(path, as_people_write(path));
    Diagnostics problems;
    auto catalogs = read_catalog_mapping(*file, absolute, problems);
    if (show_mistakes(problems, session)) return std::nullopt;
    return catalogs;
}

std::optional<std::vector<CatalogSetting>> configured_catalogs(const ConfigurationFlags& flags,
                                                               Session& session, std::string_view instead) {
    auto configuration = configuration_for(".", flags, session);
    if (!configuration) return std::nullopt;
    if (!configuration->catalogs.empty()) return std::move(configuration->catalogs);
    auto mapped = mapped_catalogs(".", session);
    if (mapped && mapped->empty())
        throw RequestError(
            "no catalogs are configured",
            fmt::format("{}{}list them below `catalogs:` of .opcat.yaml (docs/configuration.md)", instead,
                        instead.empty() ? "" : ", or "));
    return mapped;
}

} // namespace opcat
