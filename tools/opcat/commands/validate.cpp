#include "catalog/check.hpp"
#include "catalog/schemas.hpp"
#include "catalog/several_catalogs.hpp"
#include "command.hpp"
#include "environment.hpp"
#include "findings.hpp"
#include "graph/health.hpp"
#include "json_as_yaml.hpp"
#include "locale_text.hpp"
#include "references.hpp"
#include "reports/report.hpp"
#include "resolve/check_properties.hpp"
#include "rule_links.hpp"
#include "schema_files.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/go_quote.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>

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

struct Checked {
    Diagnostics findings;
    size_t packages = 0;
    size_t bundles = 0;            // by themselves, outside of a catalog
    std::vector<Catalog> catalogs; // what the findings point into
};

// What did not load seems missing to the checks: findings that may only come from that are left out.
bool may_be_a_consequence(const Diagnostic& finding) {
    static const std::set<std::string_view> rules{
        "package-unknown",       "default-channel",  "entry-without-bundle", "bundle-without-channel",
        "deprecation-reference", "skip-range-empty", "channel-stranded",     "channel-heads"};
    return rules.contains(finding.rule);
}

// A bundle directory or image by itself: it gets into a package and a channel later.
bool is_only_a_bundle(const Catalog& catalog) {
    return catalog.packages.empty() && catalog.channels.empty() && catalog.bundles.size() == 1 &&
           !catalog.bundles.front().file;
}

// What the upgrade graph means for installed versions. Where something did not load, much would seem missing.
Diagnostics check_graph(const LoadedCatalog& loaded, Session& session) {
    if (session.as_opm() || count_findings(loaded.diagnostics).errors > 0) return {};
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, session.pool());
    return check_health(select(graph, {}, {}));
}

// Where something is refused, that it is not as its schema wants it either is told already.
void drop_told(Diagnostics& by_schema, const Diagnostics& found) {
    std::set<std::pair<const SourceFile*, uint32_t>> told;
    for (const Diagnostic& finding : found)
        if (finding.severity == Severity::error || finding.rule == "dependency")
            told.emplace(finding.where.file, finding.where.offset);
    std::erase_if(by_schema, [&](const Diagnostic& finding) {
        return finding.severity == Severity::warning &&
               told.contains({finding.where.file, finding.where.offset});
    });
}

// A package that is defined twice is one; one that other blobs name only is none.
size_t package_count(const Catalog& catalog) {
    std::set<std::string_view> names;
    for (const Package& package : catalog.packages) names.insert(package.name);
    return names.size();
}

void add(Diagnostics& all, Diagnostics some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
}

// `schemas` may be null: opm asks only for what it refuses.
void check(LoadedCatalog loaded, const Schemas* schemas, Session& session, Checked& all) {
    if (schemas) {
        // What is wrong in each of them is seen when they are checked one by one.
        if (auto several = find_several_catalogs(loaded.catalog)) {
            all.packages += package_count(loaded.catalog);
            all.findings.push_back(*std::move(several));
            all.catalogs.push_back(std::move(loaded.catalog));
            return;
        }
    }
    Diagnostics found = check_catalog(loaded.catalog, session.pool());
    if (count_findings(loaded.diagnostics).errors > 0 ||
        (is_only_a_bundle(loaded.catalog) && !session.as_opm()))
        std::erase_if(found, may_be_a_consequence);
    // Index databases are checked while they are loaded.
    std::erase_if(found, [&](const Diagnostic& one) {
        return !one.where && std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                         [&](const Diagnostic& other) {
                                             return one.rule == other.rule && one.message == other.message;
                                         });
    });
    if (schemas) {
        add(found, check_resolved_properties(loaded.catalog, session.pool()));
        Diagnostics by_schema = schemas->check(loaded.catalog, session.pool());
        drop_told(by_schema, found);
        add(found, std::move(by_schema));
        add(found, std::move(loaded.oddities));
    }
    if (is_only_a_bundle(loaded.catalog))
        ++all.bundles;
    else
        all.packages += package_count(loaded.catalog);
    Diagnostics of_graph = check_graph(loaded, session);
    for (Diagnostics* some : {&loaded.diagnostics, &found, &of_graph})
        std::move(some->begin(), some->end(), std::back_inserter(all.findings));
    all.catalogs.push_back(std::move(loaded.catalog));
}

// Of several references, those that cannot be had keep nobody from seeing what is wrong with the others.
std::vector<LoadedCatalog> load_all(const Options& options, Session& session) {
    const ReferenceOptions how{.images = options.images, .standard_input = true};
    try {
        return load_each_reference(options.references, session, how);
    } catch (const UsageError&) {
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

bool holds_nothing(const LoadedCatalog& loaded) {
    const Catalog& catalog = loaded.catalog;
    return loaded.diagnostics.empty() && catalog.packages.empty() && catalog.channels.empty() &&
           catalog.bundles.empty() && catalog.deprecations.empty() && catalog.others.empty();
}

Checked check_all(const Options& options, const Schemas& schemas, Session& session) {
    Checked all;
    std::vector<LoadedCatalog> catalogs = load_all(options, session);
    for (size_t i = 0; i < catalogs.size(); ++i) {
        if (holds_nothing(catalogs[i]))
            all.findings.push_back(
                {.severity = Severity::warning,
                 .rule = "empty-catalog",
                 .message = fmt::format("{} holds no catalog: there is no package, channel or bundle in it",
                                        options.references[i]),
                 .where = {},
                 .notes = {},
                 .help = "correct the path, or look for an .indexignore file that leaves out too much"});
        check(std::move(catalogs[i]), &schemas, session, all);
    }
    sort_by_place(all.findings);
    return all;
}

void make_strict(Diagnostics& findings) {
    for (Diagnostic& finding : findings)
        if (finding.severity == Severity::warning) finding.severity = Severity::error;
}

struct ReportFile {
    ReportFormat format;
    std::string path;
};

ReportFile parse_report(const std::string& text) {
    const size_t equals = text.find('=');
    const auto format = find_report_format(std::string_view(text).substr(0, equals));
    if (equals == text.npos || equals + 1 == text.size() || !format)
        throw UsageError(
            fmt::format("invalid --report {}", go_quote(text)),
            fmt::format("it must be FORMAT=FILE, with a format of {}", fmt::join(report_format_names, ", ")));
    if (text.ends_with("=-"))
        throw UsageError(fmt::format("invalid --report {}: - is no file", go_quote(text)),
                         "--format FORMAT prints to standard output");
    return {*format, text.substr(equals + 1)};
}

// The top of the repository, if this is a job of GitHub or GitLab below it; else where we are.
std::filesystem::path report_root() {
    const std::filesystem::path here = std::filesystem::current_path();
    for (const char* variable : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
        if (const auto top = path_variable(variable)) {
            const auto below = here.lexically_relative(top->lexically_normal());
            if (!below.empty() && *below.begin() != "..") return top->lexically_normal();
        }
    return here;
}

void print_summary(const FindingCounts& counts, const Checked& checked, const Session& session) {
    const std::string summary = describe(counts);
    std::string subject = counted(checked.packages, "package");
    if (checked.bundles > 0)
        subject = (checked.packages > 0 ? subject + " and " : "") + counted(checked.bundles, "bundle");
    session.print(fmt::format("{} ({} checked)\n", summary.empty() ? "no findings" : summary, subject));
}

void run(const Options& options, Session& session) {
    std::vector<ReportFile> files;
    for (const std::string& report : options.reports) files.push_back(parse_report(report));
    const ReportFormat format = *find_report_format(options.format);

    Schemas schemas;
    if (!add_schema_files(options.schema_files, schemas, session)) return;
    Checked checked = check_all(options, schemas, session);
    if (options.strict) make_strict(checked.findings);
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
    Checked checked;
    check(load_catalog(directory, session.pool()), nullptr, session, checked);
    sort_by_place(checked.findings);
    std::erase_if(checked.findings, [](const Diagnostic& d) { return d.severity != Severity::error; });
    const bool passed = checked.findings.empty();
    if (!passed) session.exit_status = exit_findings;
    if (options.format == "text") {
        print_findings(checked.findings, session);
        return;
    }
    nlohmann::ordered_json result{{"passed", passed}};
    if (!passed) {
        std::string message;
        for (const Diagnostic& finding : checked.findings) message += to_text(finding, {});
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
