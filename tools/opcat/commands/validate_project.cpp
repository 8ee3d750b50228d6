// What `opcat validate` checks: references with their settings.
#include "commands/validate.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/lint/openshift_version.hpp"
#include "opcat/lint/project_checks.hpp"
#include "opcat/query/sql_rules.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <variant>

namespace opcat {

LintInput input_of(const Source& catalog, const LintSettings& settings, Session& session) {
    return {.source = catalog,
            .configuration = &settings.configuration,
            .schemas = settings.schemas.get(),
            .more = query::find_by_rules(catalog, settings.configuration.own_rules, session.pool())};
}

OpenOptions how_to_open(const ValidateOptions& options, const std::vector<LintSettings>& settings,
                        Session& session) {
    ImageFlags images = options.images;
    uint64_t max_file_size = SourceFile::max_size;
    for (const auto& [configuration, schemas] : settings) {
        if (const auto& limit = configuration.largest_file)
            max_file_size = std::min(max_file_size, limit->value);
        if (const auto& limit = configuration.largest_image;
            limit && options.images.max_unpacked_size == ImageFlags().max_unpacked_size)
            images.max_unpacked_size = limit->value;
    }
    OpenOptions how = opening(images, session, StandardInput::taken, options.templates);
    how.max_file_size = max_file_size;
    return how;
}

std::optional<Configuration> configuration_of(const std::string& reference, const ValidateOptions& options,
                                              Session& session) {
    auto configuration = configuration_for(reference, options.configuration, session);
    if (!configuration) return std::nullopt;
    if (!options.openshift.empty()) configuration->openshift = openshift_version(options.openshift);
    for (const std::string& registry : options.registries) {
        if (const std::string reason = reason_against_registry(registry); !reason.empty())
            throw RequestError(
                fmt::format("{} is not a registry: {}", go_quote(registry), reason),
                "write a host, or the beginning of a name, as in --allowed-registry quay.io/org");
        configuration->registries.push_back(registry);
    }
    return configuration;
}

std::optional<LintSettings> settings_for(const std::string& reference, const ValidateOptions& options,
                                         Session& session) {
    auto configuration = configuration_of(reference, options, session);
    if (!configuration) return std::nullopt;
    std::vector<std::string> files = options.schema_files;
    for (const auto& schema : configuration->schemas) files.push_back(schema.value.string());
    LintSettings settings{*std::move(configuration), nullptr};
    if (files.empty()) return settings;
    settings.schemas = std::make_unique<Schemas>();
    if (!add_schema_files(files, *settings.schemas, session)) return std::nullopt;
    return settings;
}

Source unreachable(const std::string& reference, const ItemFailure& failure) {
    LoadedCatalog loaded;
    loaded.diagnostics.push_back(
        {.rule = "file", .message = failure.message, .where = {}, .notes = {}, .help = failure.hint});
    return {reference, std::move(loaded)};
}

std::vector<Source> open_all(const ValidateOptions& options, const std::vector<LintSettings>& settings,
                             Session& session) {
    const OpenOptions how = how_to_open(options, settings, session);
    if (options.references.size() == 1) return open_each(options.references, how, session.pool());
    std::vector<Source> all;
    for (SourceOrError& opened : open_each_that_can(options.references, how, session.pool())) {
        if (const auto* const error = std::get_if<std::exception_ptr>(&opened)) {
            const ItemFailure failure = failure_of(*error);
            if (failure.exit_status == exit_usage) throw RequestError(failure.message, failure.hint);
            all.push_back(unreachable(options.references[all.size()], failure));
        } else {
            all.push_back(std::get<Source>(std::move(opened)));
        }
    }
    return all;
}

std::optional<std::vector<LintSettings>> load_settings(const ValidateOptions& options, Session& session) {
    std::vector<LintSettings> all;
    for (const std::string& reference : options.references) {
        auto settings = settings_for(reference, options, session);
        if (!settings) return std::nullopt;
        all.push_back(*std::move(settings));
    }
    return all;
}

Project load_project(const ValidateOptions& options, std::vector<LintSettings> settings, Session& session) {
    Project project;
    project.settings = std::move(settings);
    project.catalogs = open_all(options, project.settings, session);
    for (size_t i = 0; i < project.catalogs.size(); ++i) {
        auto& changed = project.changed.emplace_back();
        const std::string& reference = options.references[i];
        if (options.changed_since.empty()) continue;
        if (!names_files(reference))
            throw RequestError(fmt::format("--changed-since does not go with {}", go_quote(reference)),
                               "name the directory of a catalog in a git repository");
        changed = std::make_unique<ChangedParts>(
            changed_parts(reference, project.catalogs[i].loaded(), options.changed_since, session.pool()));
    }
    return project;
}

} // namespace opcat
