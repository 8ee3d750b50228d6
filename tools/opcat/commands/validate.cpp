#include "command.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "help/markdown.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/text_diff.hpp"
#include "opcat/lint/baseline.hpp"
#include "opcat/lint/changes.hpp"
#include "opcat/lint/fixes.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/schemas.hpp"
#include "references.hpp"
#include "reports/report.hpp"
#include "terminal/findings.hpp"
#include "terminal/output.hpp"
#include "terminal/pager.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>

namespace opcat {
namespace {

struct Options {
    std::vector<std::string> references;
    std::string format = "text";
    std::vector<std::string> reports; // FORMAT=FILE
    std::vector<std::string> schema_files;
    ConfigurationFlags configuration;
    bool strict = false;
    bool each = false;
    bool summary = false;
    bool no_pager = false;
    bool fix = false;
    bool diff = false; // show what --fix would do
    bool unsafe_fixes = false;
    // The least to be shown. Notes count, and are for those who ask, or for programs.
    std::optional<Severity> least;
    std::string baseline;
    std::string new_baseline;
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

struct ReportFile {
    ReportFormat format;
    std::string path;
};

ReportFile parse_report(const std::string& text) {
    const size_t equals = text.find('=');
    const auto format = find_report_format(std::string_view(text).substr(0, equals));
    if (equals == text.npos || equals + 1 == text.size() || !format)
        throw RequestError(
            fmt::format("invalid --report {}", go_quote(text)),
            fmt::format("it must be FORMAT=FILE, with a format of {}", fmt::join(report_format_names, ", ")));
    if (text.ends_with("=-"))
        throw RequestError(fmt::format("invalid --report {}: - is not a file", go_quote(text)),
                           "--format FORMAT prints to standard output");
    return {*format, text.substr(equals + 1)};
}

// What is checked beside the format's own rules, for each reference.
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

std::optional<Baseline> load_baseline(const std::string& path, Session& session) {
    if (path.empty()) return Baseline();
    const auto file = read_input(path);
    Diagnostics problems;
    Baseline baseline = Baseline::read(*file, problems);
    if (problems.empty()) return baseline;
    print_findings(problems, session);
    session.exit_status = exit_usage;
    return std::nullopt;
}

std::string summary_line(const FindingCounts& counts, const LintResult& result, size_t fixes,
                         bool hides_notes) {
    const std::string summary = describe(counts);
    std::string subject = counted(result.packages, "package");
    if (result.bundles > 0)
        subject = (result.packages > 0 ? subject + " and " : "") + counted(result.bundles, "bundle");
    std::string more;
    if (result.suppressed > 0) more += fmt::format(", {} suppressed by comments", result.suppressed);
    if (result.known > 0) more += fmt::format(", {} in the baseline", result.known);
    if (fixes > 0) more += fmt::format("; {} can be corrected by --fix", fixes);
    if (hides_notes) more += "; --severity note shows the notes";
    return fmt::format("{} ({} checked){}\n", summary.empty() ? "no findings" : summary, subject, more);
}

// What is shown of the findings, and how.
struct View {
    const Options& options;
    ReportFormat format;
    Diagnostics findings;
    ReportContext context;
    std::string summary;
};

void show(const View& view, Session& session) {
    const ReportFormat format = view.format;
    std::string text;
    if (view.options.summary)
        text = format == ReportFormat::json ? summary_as_json(view.findings, view.context.subjects)
               : view.findings.empty()
                   ? ""
                   : table_in_locale(summary_as_rows(view.findings, view.context.subjects), session);
    else
        text = make_report(format, view.findings, view.context, session.pool());
    const bool is_text = format == ReportFormat::text || format == ReportFormat::concise;
    if (is_text) text = in_locale(text, session);
    const bool summarised = is_for_people(format) && !session.options.quiet;
    if (is_text && !view.options.no_pager &&
        show_in_pager(summarised ? text + in_locale(view.summary, session) : text))
        return;
    session.out.write(text);
    session.out.flush();
    if (summarised) session.print(view.summary);
}

// GitHub shows that file's Markdown on the page of the run.
void add_step_summary(const Diagnostics& findings, const ReportContext& context, const Session& session) {
    const auto path = path_variable("GITHUB_STEP_SUMMARY");
    if (!path) return;
    std::ofstream file(*path, std::ios::app | std::ios::binary);
    file << findings_as_markdown(findings, context);
    file.close();
    if (!file)
        session.print_warning(fmt::format("cannot write to {}: GitHub will show no summary", path->string()));
}

void run(const Options& options, Session& session) {
    std::vector<ReportFile> files;
    for (const std::string& report : options.reports) files.push_back(parse_report(report));
    const ReportFormat format = *find_report_format(options.format);
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
    const auto baseline = load_baseline(options.baseline, session);
    if (!baseline) return;
    std::vector<LintInput> inputs;
    for (size_t i = 0; i < project->catalogs.size(); ++i)
        inputs.push_back({options.references[i], project->catalogs[i], &project->configurations[i],
                          project->schemas[i].get(), project->changed[i].get()});
    LintResult checked =
        lint(inputs, {.baseline = options.baseline.empty() ? nullptr : &*baseline, .strict = options.strict},
             session.pool());
    const FindingCounts counts = count_findings(checked.findings);
    session.exit_status = exit_status_of(counts);
    if (!options.new_baseline.empty()) {
        write_output(options.new_baseline, baseline_text(checked.findings, checked.subjects));
        session.print(fmt::format("{} written to {}\n", counted(checked.findings.size(), "finding"),
                                  options.new_baseline));
        if (counts.unreadable == 0) session.exit_status = exit_ok;
        return;
    }
    ReportContext context{
        .root = report_root(), .subjects = std::move(checked.subjects), .each = options.each};
    // Whatever becomes of the files, the findings are printed.
    std::exception_ptr not_written;
    for (const ReportFile& file : files) {
        try {
            write_output(file.path, make_report(file.format, checked.findings, context, session.pool()));
        } catch (const Error&) {
            if (!not_written) not_written = std::current_exception();
        }
    }
    if (format == ReportFormat::github) add_step_summary(checked.findings, context, session);
    context.style = {session.colour_on_stdout(), session.width_of_stdout()};
    context.links_to_files = session.links_on_stdout();
    if (context.links_to_files) context.rules_page = rules_page();
    const auto fixes = std::count_if(checked.findings.begin(), checked.findings.end(),
                                     [](const Diagnostic& d) { return d.fix && d.fix.safe; });
    Diagnostics shown = std::move(checked.findings);
    const bool for_people = is_for_people(format) && !options.summary;
    const Severity least = is_for_people(format) && session.options.quiet
                               ? Severity::error
                               : options.least.value_or(for_people ? Severity::warning : Severity::note);
    const bool hides_notes = counts.notes > 0 && least == Severity::warning && !options.least;
    const std::string summary = summary_line(counts, checked, static_cast<size_t>(fixes), hides_notes);
    std::erase_if(shown, [&](const Diagnostic& d) { return d.severity > least; });
    show({options, format, std::move(shown), std::move(context), summary}, session);
    if (not_written) std::rethrow_exception(not_written);
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
    if (options.format == "text") {
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
    session.out.write((options.format == "json" ? json : json_as_yaml(json)) + "\n");
}

} // namespace

void add_validate(Command tree, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command =
        tree.add_command("validate", "Check catalogs: all mistakes at once, each with its place");
    if (session.as_opm()) {
        command.add_option("directory", options->references, "Catalog directory").required().at_most(1);
        command.add_option("-o,--output", options->format, "Result as json or yaml, not as text")
            .one_of({"json", "yaml"});
        command.callback([options, &session] { run_as_opm(*options, session); });
        return;
    }
    command.add_option("REF", options->references, reference_help(session)).required();
    add_image_flags(command, options->images);
    command.add_option("--format", options->format, "What to print")
        .one_of({std::begin(report_format_names), std::end(report_format_names)})
        .show_default();
    command
        .add_option(
            "--report", options->reports,
            "Write the findings to a file, too, in a format of --format; for several files, several times")
        .value_name("FORMAT=FILE");
    command
        .add_option("--schema", options->schema_files,
                    "A file of CUE definitions that blobs and properties must fit, too")
        .value_name("FILE");
    command.add_flag("--strict", options->strict, "Let warnings be errors");
    command.add_choice(
        "--severity", options->least,
        {{"note", Severity::note}, {"warning", Severity::warning}, {"error", Severity::error}},
        "Show nothing below note, warning or error (default: warning; note with --summary and for "
        "the formats of other programs)");
    command.add_flag("--all", options->each, "Show each of several findings that are alike");
    command.add_flag("--summary", options->summary, "Count findings by rule and package instead");
    command.add_flag("--no-pager", options->no_pager, "Do not use a pager, even on a terminal");
    add_configuration_flags(command, options->configuration);
    const std::string fixing = "Fixes";
    const Option fix = command
                           .add_flag("--fix", options->fix,
                                     "Correct what is certain, in the files themselves, and report the rest")
                           .group(fixing);
    command.add_flag("--diff", options->diff, "With --fix: show the changes, and write nothing")
        .group(fixing);
    command
        .add_flag("--unsafe-fixes", options->unsafe_fixes,
                  "With --fix: also apply what the author may have meant otherwise")
        .group(fixing);
    const std::string known = "Known findings";
    command.add_option("--baseline", options->baseline, "Report only what is not in this file")
        .value_name("FILE")
        .existing_file()
        .group(known)
        .excludes(fix);
    command.add_option("--write-baseline", options->new_baseline, "Write all findings to a baseline instead")
        .value_name("FILE")
        .group(known)
        .excludes(fix);
    command
        .add_option("--changed-since", options->changed_since,
                    "Check all, and report on packages of which a file has changed since a commit of git")
        .value_name("REV")
        .group(known)
        .excludes(fix);
    command.footer("Examples:\n"
                   "  opcat validate catalog/\n"
                   "  opcat validate --strict --format json catalog/ > findings.json\n"
                   "  opcat validate --schema notes.cue catalog/\n"
                   "  opcat validate --format github --report sarif=opcat.sarif catalog/\n"
                   "  opcat validate --rule graph-unreachable=off --changed-since origin/main catalog/\n\n"
                   "`opcat explain RULE` tells more about a rule. Exit status: 0 if there are no errors, 1 "
                   "if there are.");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
