// Common flags of the commands that check: which findings are reported, and how.
#pragma once

#include "command.hpp"
#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/baseline.hpp"
#include "opcat/lint/selection.hpp"
#include "opcat/lint/subject.hpp"
#include "opcat/reports/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

// The heading of the options about baselines in help texts.
constexpr const char* known_findings = "Known findings";

struct ReportFlags {
    ReportFormat format = ReportFormat::text;
    std::vector<std::string> files; // FORMAT=FILE
    bool strict = false;
    bool each = false;
    bool summary = false;
    bool no_pager = false;
    // The lowest level to show. Notes count, but are only shown on request, or to programs.
    std::optional<Severity> least;
    std::string baseline;
    std::string new_baseline;
    bool prune = false; // the baseline
};

// Some of the options that were added, for commands with options that exclude them.
struct ReportOptions {
    Option read; // --baseline
    Option write;
    Option files;
    Option summary;
};

// `flags` is filled when the command line is parsed, and must live as long as the command.
ReportOptions add_report_flags(Command command, ReportFlags& flags);

// The requested baseline, or an empty one. Mistakes in it are shown on standard error; then there is nothing,
// and the exit status is that of wrong usage.
std::optional<Baseline> load_baseline(const ReportFlags& flags, Session& session);

// Throws RequestError, before anything is checked, for contradictory flags, and if a report or a baseline
// would be written over what is read or over another file.
void check_report_flags(const ReportFlags& flags, const std::vector<std::string>& references);

// The report of --format json alone, which other programs split or combine.
std::string json_report(SelectedFindings selected, const Subjects& subjects, const ReportFlags& flags,
                        Session& session);

// Returns true if the report says how many findings can be corrected, and there is something to count.
bool counts_fixes(const SelectedFindings& selected, const ReportFlags& flags, const Session& session);

// Prints the findings, writes the requested files, and sets the exit status, unless it is a worse one.
// `checked` describes what was checked, for the summary: "3 packages checked"; `correctable` says how
// many fixes --fix would apply, `test_output` as in ReportContext.
void report(SelectedFindings selected, const Subjects& subjects, const std::string& checked,
            const std::string& correctable, const ReportFlags& flags, Session& session,
            const std::string& test_output = {});

} // namespace opcat
