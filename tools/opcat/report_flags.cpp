#include "report_flags.hpp"

#include "environment.hpp"
#include "help/markdown.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "outputs.hpp"
#include "terminal/findings.hpp"
#include "terminal/output.hpp"
#include "terminal/pager.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>

namespace opcat {
namespace {

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

// What such a report replaces.
IsOwn earlier_report(ReportFormat format) {
    switch (format) {
    case ReportFormat::json:
        return that_has("\"opcat.findings.");
    case ReportFormat::sarif:
        return that_has("sarif");
    case ReportFormat::gitlab:
        return [](const std::filesystem::path&, std::string_view bytes) { return bytes.starts_with('['); };
    case ReportFormat::junit:
        return that_has("<testsuites");
    case ReportFormat::tekton:
        return that_has("\"result\":");
    default:
        return is_plain_text;
    }
}

// The top of the repository, if this is a job of GitHub or GitLab below it; else the current directory.
std::filesystem::path report_root() {
    const std::filesystem::path here = std::filesystem::current_path();
    for (const char* variable : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
        if (const auto top = path_variable(variable)) {
            const auto below = here.lexically_relative(top->lexically_normal());
            if (!below.empty() && *below.begin() != "..") return top->lexically_normal();
        }
    return here;
}

} // namespace

void check_report_flags(const ReportFlags& flags, const std::vector<std::string>& references) {
    if (flags.prune && (flags.baseline.empty() || flags.baseline == "-"))
        throw RequestError("--prune-baseline needs --baseline FILE");
    std::vector<OutputPath> outputs{{"--write-baseline", flags.new_baseline}};
    for (const std::string& text : flags.files) {
        const ReportFile file = parse_report(text);
        outputs.push_back({"--report", file.path, earlier_report(file.format)});
    }
    require_apart(outputs, references);
    require_kind(flags.new_baseline, "a baseline", [&](std::string_view bytes) {
        Diagnostics problems;
        (void)Baseline::read(SourceFile(flags.new_baseline, bytes), problems);
        return problems.empty();
    });
    if (flags.summary && flags.format != ReportFormat::text && flags.format != ReportFormat::json)
        throw RequestError(fmt::format("--summary does not go with --format {}", to_string(flags.format)),
                           "use --format text or --format json");
    // If this run ends early, the report of an earlier one would look like its own.
    for (const std::string& text : flags.files) {
        const std::filesystem::path path = parse_report(text).path;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored)))
            std::filesystem::remove(path, ignored);
    }
}

std::optional<Baseline> load_baseline(const ReportFlags& flags, Session& session) {
    if (flags.baseline.empty()) return Baseline();
    const auto file = read_input(flags.baseline);
    Diagnostics problems;
    Baseline baseline = Baseline::read(*file, problems);
    if (problems.empty()) return baseline;
    print_findings(problems, session);
    session.exit_status = exit_usage;
    return std::nullopt;
}

namespace {

std::string summary_line(const FindingCounts& counts, const SelectedFindings& selected,
                         const std::string& checked, const std::string& correctable, bool hides_notes) {
    const std::string summary = describe(counts);
    std::string more;
    if (selected.suppressed > 0) more += fmt::format(", {} suppressed by comments", selected.suppressed);
    if (selected.explained > 0)
        more += fmt::format(", {} left out (--all shows {})", counted(selected.explained, "consequence"),
                            selected.explained == 1 ? "it" : "them");
    if (selected.known > 0) more += fmt::format(", {} in the baseline", selected.known);
    if (selected.unchanged > 0)
        more += fmt::format(", {} about what has not changed{}", selected.unchanged,
                            selected.unchanged_errors == 0
                                ? ""
                                : fmt::format(" ({})", counted(selected.unchanged_errors, "error")));
    if (selected.outdated && !selected.outdated->empty())
        more += fmt::format("; {} of the baseline not found: --prune-baseline removes {}",
                            counted(selected.outdated->size(), "finding"),
                            selected.outdated->size() == 1 ? "it" : "them");
    if (!correctable.empty()) more += "; " + correctable;
    if (hides_notes) more += "; --severity note shows the notes";
    return fmt::format("{} ({}){}\n", summary.empty() ? "no findings" : summary, checked, more);
}

void show(const Diagnostics& findings, const std::string& summary, ReportFormat format,
          const ReportFlags& flags, const ReportContext& context, Session& session) {
    std::string text;
    if (!flags.summary)
        text = make_report(format, findings, context, session.pool());
    else if (format == ReportFormat::json)
        text = summary_as_json(findings, context);
    else if (!findings.empty())
        text = table_in_locale(summary_as_rows(findings, context.subjects, flags.each), session);
    const bool is_text = format == ReportFormat::text || format == ReportFormat::concise;
    if (is_text) text = in_locale(text, session);
    const bool summarised = is_for_people(format) && !session.options.quiet;
    if (is_text && !flags.no_pager && show_in_pager(summarised ? text + in_locale(summary, session) : text))
        return;
    session.out.write(text);
    session.out.flush();
    if (summarised) session.print(summary);
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

void write_baseline(const SelectedFindings& selected, const Subjects& subjects, const std::string& path,
                    Session& session) {
    write_output(path, baseline_text(selected.findings, subjects, selected.asked));
    session.print(fmt::format("{} written to {}\n", counted(selected.findings.total(), "finding"), path));
}

void prune_baseline(const SelectedFindings& selected, const std::string& path, Session& session) {
    if (!selected.outdated)
        throw Error(
            fmt::format("{} was not pruned: not all findings could be looked for", path),
            "check whole catalogs that load, with the options and references the baseline was written for");
    if (!selected.outdated->empty())
        write_output(path, baseline_without(*read_input(path), *selected.outdated));
    session.print(fmt::format("{} removed from {}\n", counted(selected.outdated->size(), "finding"), path));
}

} // namespace

std::string json_report(SelectedFindings selected, const Subjects& subjects, const ReportFlags& flags,
                        Session& session) {
    const Severity least = flags.least.value_or(Severity::note);
    std::erase_if(selected.findings, [&](const Diagnostic& d) { return d.severity > least; });
    return make_report(
        ReportFormat::json, selected.findings,
        {.root = report_root(), .subjects = subjects, .left_out = selected, .each = flags.each},
        session.pool());
}

bool counts_fixes(const SelectedFindings& selected, const ReportFlags& flags, const Session& session) {
    return is_for_people(flags.format) && !session.options.quiet && flags.new_baseline.empty() &&
           std::any_of(selected.findings.begin(), selected.findings.end(),
                       [](const Diagnostic& finding) { return finding.fix && finding.fix.safe; });
}

void report(SelectedFindings selected, const Subjects& subjects, const std::string& checked,
            const std::string& correctable, const ReportFlags& flags, Session& session,
            const std::string& test_output) {
    const FindingCounts counts = count_findings(selected.findings);
    session.exit_status = std::max<int>(session.exit_status, exit_status_of(counts));
    if (!flags.new_baseline.empty()) {
        write_baseline(selected, subjects, flags.new_baseline, session);
        if (counts.unreadable + counts.limited == 0) session.exit_status = exit_ok;
        return;
    }
    const ReportFormat format = flags.format;
    ReportContext context{.root = report_root(),
                          .subjects = subjects,
                          .left_out = selected,
                          .test_output = test_output,
                          .each = flags.each,
                          .rules_page = rules_page()};
    // Whatever becomes of the files, the findings are printed.
    std::exception_ptr not_written;
    for (const std::string& text : flags.files) {
        const ReportFile file = parse_report(text);
        try {
            write_output(file.path, make_report(file.format, selected.findings, context, session.pool()));
        } catch (const Error&) {
            if (!not_written) not_written = std::current_exception();
        }
    }
    if (format == ReportFormat::github) add_step_summary(selected.findings, context, session);
    context.style = {session.colour_on_stdout(), session.width_of_stdout()};
    context.has_links = session.links_on_stdout();
    const bool for_people = is_for_people(format) && !flags.summary;
    const Severity least = is_for_people(format) && session.options.quiet
                               ? Severity::error
                               : flags.least.value_or(for_people ? Severity::warning : Severity::note);
    const bool hides_notes = counts.notes > 0 && least == Severity::warning && !flags.least;
    const std::string summary = summary_line(counts, selected, checked, correctable, hides_notes);
    std::erase_if(selected.findings, [&](const Diagnostic& d) { return d.severity > least; });
    show(selected.findings, summary, format, flags, context, session);
    if (flags.prune) prune_baseline(selected, flags.baseline, session);
    if (not_written) std::rethrow_exception(not_written);
}

ReportOptions add_report_flags(Command command, ReportFlags& flags) {
    command
        .add_choice("--format", flags.format,
                    {ReportFormat::text, ReportFormat::concise, ReportFormat::json, ReportFormat::sarif,
                     ReportFormat::github, ReportFormat::gitlab, ReportFormat::junit, ReportFormat::tekton},
                    "What to print")
        .show_default();
    const Option files = command.add_option("--report FORMAT=FILE", flags.files,
                                            "Also write the findings to a file, in a format of --format");
    command.add_flag("--strict", flags.strict, "Treat warnings as errors");
    command.add_choice(
        "--severity", flags.least,
        {{"note", Severity::note}, {"warning", Severity::warning}, {"error", Severity::error}},
        "Lowest severity to show: note, warning or error (default: warning; note with --summary and for "
        "the formats of other programs)");
    command.add_flag(
        "--all", flags.each,
        "Show each of several similar findings, and findings that are only consequences of others");
    const Option summary =
        command.add_flag("--summary", flags.summary, "Count findings by rule and package instead");
    command.add_flag("--no-pager", flags.no_pager, "Do not use a pager, even on a terminal");
    const Command known = command.under(known_findings);
    const Option read =
        known.add_option("--baseline FILE", flags.baseline, "Report only findings that are not in this file");
    const Option write =
        known.add_option("--write-baseline", flags.new_baseline, "Write all findings to a baseline instead")
            .output_file()
            .excludes(read)
            .excludes(files);
    known
        .add_flag("--prune-baseline", flags.prune,
                  "Remove findings from the --baseline file that are not found any more")
        .excludes(write);
    return {read, write, files, summary};
}

} // namespace opcat
