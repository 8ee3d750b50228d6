#include "command.hpp"
#include "configuration.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/text_diff.hpp"
#include "opcat/lint/changes.hpp"
#include "opcat/lint/fixes.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/schemas.hpp"
#include "references.hpp"
#include "reports/report_flags.hpp"
#include "terminal/findings.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace opcat {
namespace {

struct Options {
    std::vector<std::string> references;
    std::vector<std::string> schema_files;
    ConfigurationFlags configuration;
    ReportFlags report;
    bool fix = false;
    bool diff = false; // show what --fix would do
    bool unsafe_fixes = false;
    std::string changed_since;
    ImageFlags images;
};

// A reference that cannot be loaded does not hide the findings of the others.
std::vector<LoadedCatalog> load_all(const Options& options, const std::vector<Configuration>& configurations,
                                    Session& session) {
    ReferenceOptions how{.images = options.images, .standard_input = true};
    for (const Configuration& configuration : configurations) {
        if (const auto& limit = configuration.largest_file)
            how.max_file_size = std::min(how.max_file_size, limit->value);
        if (const auto& limit = configuration.largest_image;
            limit && options.images.max_unpacked_size == ImageFlags().max_unpacked_size)
            how.images.max_unpacked_size = limit->value;
    }
    try {
        return load_each_reference(options.references, session, how);
    } catch (const RequestError&) {
        throw;
    } catch (const Error&) {
        if (options.references.size() == 1) throw;
    }
    std::vector<LoadedCatalog> all;
    for (const std::string& reference : options.references) {
        try {
            all.push_back(std::move(load_each_reference({reference}, session, how).front()));
        } catch (const Error& error) {
            all.emplace_back().diagnostics.push_back(
                {.rule = "file", .message = error.what(), .where = {}, .notes = {}, .help = error.hint()});
        }
    }
    return all;
}

// What is checked in addition to the format's own rules, for each reference.
struct Project {
    std::vector<Configuration> configurations;
    std::vector<std::unique_ptr<Schemas>> schemas;
    std::vector<LoadedCatalog> catalogs;
    std::vector<std::unique_ptr<ChangedParts>> changed;
};

// Nothing if there is something wrong with what was asked for, which has been reported.
std::optional<Project> load_project(const Options& options, Session& session) {
    Project project;
    for (const std::string& reference : options.references) {
        auto configuration = configuration_for(reference, options.configuration, session);
        if (!configuration) return std::nullopt;
        std::vector<std::string> files = options.schema_files;
        for (const auto& schema : configuration->schemas) files.push_back(schema.value.string());
        auto& schemas = project.schemas.emplace_back();
        if (!files.empty()) {
            schemas = std::make_unique<Schemas>();
            if (!add_schema_files(files, *schemas, session)) return std::nullopt;
        }
        project.configurations.push_back(*std::move(configuration));
    }
    project.catalogs = load_all(options, project.configurations, session);
    for (size_t i = 0; i < project.catalogs.size(); ++i) {
        auto& changed = project.changed.emplace_back();
        const std::string& reference = options.references[i];
        if (options.changed_since.empty()) continue;
        if (reference == "-" || names_image(reference, session))
            throw RequestError(fmt::format("--changed-since does not go with {}", go_quote(reference)),
                               "name the directory of a catalog in a git repository");
        changed = std::make_unique<ChangedParts>(
            changed_parts(reference, project.catalogs[i], options.changed_since, session.pool()));
    }
    return project;
}

// Applies fixes to the files of all references, or shows what that would change; how many there were.
size_t fix_files(const Options& options, const Project& project, Session& session) {
    size_t fixes = 0;
    for (size_t i = 0; i < project.catalogs.size(); ++i) {
        const std::string& reference = options.references[i];
        if (reference == "-" || names_image(reference, session))
            throw RequestError(fmt::format("--fix does not go with {}", go_quote(reference)),
                               "it changes files: name a directory or a file");
        const auto check = [&](const LoadedCatalog& catalog) {
            return lint({{reference, catalog, &project.configurations[i], project.schemas[i].get()}}, {},
                        session.pool())
                .findings;
        };
        const FixedCatalog fixed =
            fix_catalog(project.catalogs[i], check, options.unsafe_fixes, session.pool());
        fixes += fixed.fixes;
        for (const FixedFile& file : fixed.files) {
            if (options.diff)
                session.out.write(unified_diff(file.path, file.before, file.after));
            else
                write_output(file.path, file.after);
        }
    }
    session.out.flush();
    return fixes;
}

std::string describe_checked(const LintResult& result) {
    if (result.bundles == 0) return counted(result.packages, "package");
    return (result.packages > 0 ? counted(result.packages, "package") + " and " : "") +
           counted(result.bundles, "bundle");
}

void run(const Options& options, Session& session) {
    check_report_flags(options.report);
    if (!options.fix && (options.diff || options.unsafe_fixes))
        throw RequestError(fmt::format("{} needs --fix", options.diff ? "--diff" : "--unsafe-fixes"));

    auto project = load_project(options, session);
    if (!project) return;
    if (options.fix) {
        const size_t fixes = fix_files(options, *project, session);
        if (!session.options.quiet)
            session.print(fmt::format("{} {}\n",
                                      fixes == 1 ? std::string("1 fix") : fmt::format("{} fixes", fixes),
                                      options.diff ? "to apply: nothing was written" : "applied"));
        if (options.diff) {
            session.exit_status = fixes > 0 ? exit_findings : exit_ok;
            return;
        }
        if (fixes > 0) project->catalogs = load_all(options, project->configurations, session);
    }
    const auto baseline = load_baseline(options.report, session);
    if (!baseline) return;
    std::vector<LintInput> inputs;
    for (size_t i = 0; i < project->catalogs.size(); ++i)
        inputs.push_back({options.references[i], project->catalogs[i], &project->configurations[i],
                          project->schemas[i].get(), project->changed[i].get()});
    LintResult checked = lint(
        inputs, {.selection = {.baseline = &*baseline, .strict = options.report.strict}}, session.pool());
    const std::string what = describe_checked(checked);
    report(std::move(checked), checked.subjects, what, options.report, session);
}

// opm takes a directory and nothing else, and that for a catalog even where it looks like a bundle.
void run_as_opm(const Options& options, Session& session) {
    const std::filesystem::path directory = options.references.front();
    std::error_code failed;
    const bool is_directory = std::filesystem::is_directory(directory, failed);
    if (failed) throw Error(fmt::format("cannot read {}: {}", directory.string(), failed.message()));
    if (!is_directory) throw Error(directory.string() + " is not a directory");
    const LoadedCatalog loaded = load_catalog(directory, session.pool());
    const Diagnostics findings = lint({{options.references.front(), loaded}},
                                      {.rules = LintOptions::Rules::enforced_by_opm}, session.pool())
                                     .findings;
    const bool passed = findings.empty();
    if (!passed) session.exit_status = exit_findings;
    if (options.report.format == "text") {
        print_findings(findings, session);
        return;
    }
    nlohmann::ordered_json result{{"passed", passed}};
    if (!passed) {
        std::string message;
        for (const Diagnostic& finding : findings) message += to_text(finding, {});
        message.pop_back();
        result["error"] = {{"message", message}};
    }
    const std::string json = result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    session.out.write((options.report.format == "json" ? json : json_as_yaml(json)) + "\n");
}

} // namespace

void add_validate(Command tree, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command = tree.add_command("validate", "Check catalogs and report all mistakes at once");
    if (session.as_opm()) {
        command.add_option("directory", options->references, "Catalog directory").required().at_most(1);
        command.add_option("-o,--output", options->report.format, "Result as json or yaml, not as text")
            .one_of({"json", "yaml"});
        command.callback([options, &session] { run_as_opm(*options, session); });
        return;
    }
    command.add_option("REF", options->references, reference_help(session)).required();
    add_image_flags(command, options->images);
    const BaselineOptions baseline = add_report_flags(command, options->report);
    command
        .add_option("--schema", options->schema_files,
                    "A file with further CUE definitions that blobs and properties must fit")
        .value_name("FILE");
    add_configuration_flags(command, options->configuration);
    const std::string fixing = "Fixes";
    const Option fix = command
                           .add_flag("--fix", options->fix,
                                     "Apply safe fixes to the files and report the remaining findings")
                           .group(fixing);
    command.add_flag("--diff", options->diff, "With --fix: show the changes without writing them")
        .group(fixing);
    command
        .add_flag("--unsafe-fixes", options->unsafe_fixes,
                  "With --fix: also apply fixes that may not be what the author meant")
        .group(fixing);
    command
        .add_option("--changed-since", options->changed_since,
                    "Check everything, but report only on packages whose files changed since a git commit")
        .value_name("REV")
        .group(known_findings)
        .excludes(fix);
    fix.excludes(baseline.read).excludes(baseline.write);
    command.footer("Examples:\n"
                   "  opcat validate catalog/\n"
                   "  opcat validate --strict --format json catalog/ > findings.json\n"
                   "  opcat validate --schema notes.cue catalog/\n"
                   "  opcat validate --format github --report sarif=opcat.sarif catalog/\n"
                   "  opcat validate --rule graph-unreachable=off --changed-since origin/main catalog/\n\n"
                   "`opcat explain RULE` explains a rule. Exit status: 0 if there are no errors, 1 "
                   "if there are.");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
