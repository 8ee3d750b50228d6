#include "command.hpp"
#include "help/markdown.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/schemas.hpp"
#include "references.hpp"
#include "reports/report.hpp"
#include "terminal/findings.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>

namespace opcat {
namespace {

struct Options {
    std::vector<std::string> references;
    std::string format = "text";
    std::vector<std::string> reports; // FORMAT=FILE
    std::vector<std::string> schema_files;
    bool strict = false;
    ImageFlags images;
};

// A reference that cannot be loaded does not hide the findings of the others.
std::vector<LoadedCatalog> load_all(const Options& options, Session& session) {
    const ReferenceOptions how{.images = options.images, .standard_input = true};
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

void print_summary(const FindingCounts& counts, const LintResult& result, const Session& session) {
    const std::string summary = describe(counts);
    std::string subject = counted(result.packages, "package");
    if (result.bundles > 0)
        subject = (result.packages > 0 ? subject + " and " : "") + counted(result.bundles, "bundle");
    session.print(fmt::format("{} ({} checked)\n", summary.empty() ? "no findings" : summary, subject));
}

void run(const Options& options, Session& session) {
    std::vector<ReportFile> files;
    for (const std::string& report : options.reports) files.push_back(parse_report(report));
    const ReportFormat format = *find_report_format(options.format);

    Schemas schemas;
    if (!add_schema_files(options.schema_files, schemas, session)) return;
    const std::vector<LoadedCatalog> catalogs = load_all(options, session);
    std::vector<LintInput> inputs;
    for (size_t i = 0; i < catalogs.size(); ++i) inputs.push_back({options.references[i], catalogs[i]});
    LintResult checked = lint(inputs, {.schemas = &schemas, .strict = options.strict}, session.pool());
    const FindingCounts counts = count_findings(checked.findings);
    session.exit_status = exit_status_of(counts);
    ReportContext context{report_root()};
    // Whatever becomes of the files, the findings are printed.
    std::exception_ptr not_written;
    for (const ReportFile& file : files) {
        try {
            write_output(file.path, make_report(file.format, checked.findings, context, session.pool()));
        } catch (const Error&) {
            if (!not_written) not_written = std::current_exception();
        }
    }
    context.style = {session.colour_on_stdout(), session.width_of_stdout()};
    // Links are for those who look at a terminal.
    if (context.style.colour && context.style.width > 0) context.rules_page = rules_page();
    const bool for_people = format == ReportFormat::text || format == ReportFormat::github;
    if (for_people && session.options.quiet)
        std::erase_if(checked.findings, [](const Diagnostic& d) { return d.severity != Severity::error; });
    const std::string report = make_report(format, checked.findings, context, session.pool());
    session.out.write(format == ReportFormat::text ? in_locale(report, session) : report);
    session.out.flush();
    if (for_people && !session.options.quiet) print_summary(counts, checked, session);
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
        .one_of({"text", "json", "sarif", "github", "junit"})
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
    command.footer("Examples:\n"
                   "  opcat validate catalog/\n"
                   "  opcat validate --strict --format json catalog/ > findings.json\n"
                   "  opcat validate --schema notes.cue catalog/\n"
                   "  opcat validate --format github --report sarif=opcat.sarif catalog/\n\n"
                   "`opcat explain RULE` tells more about a rule. Exit status: 0 if there are no errors, 1 "
                   "if there are.");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
