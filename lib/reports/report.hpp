// Findings in the forms that people and other programs read.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/lint/selection.hpp"
#include "opcat/lint/subject.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace opcat {

enum class ReportFormat : uint8_t { text, concise, json, sarif, github, gitlab, junit, tekton };

constexpr std::string_view report_format_names[] = {"text",   "concise", "json",  "sarif",
                                                    "github", "gitlab",  "junit", "tekton"};
constexpr std::string_view to_string(ReportFormat format) {
    return report_format_names[static_cast<size_t>(format)];
}

// What was not checked, for the forms that have a place for it.
std::vector<NotChecked> not_checked_in(const LeftOut& left_out);

std::optional<ReportFormat> find_report_format(std::string_view name);

// Returns true if it is for people: then equal findings are grouped.
bool is_for_people(ReportFormat format);

// What the forms have in common. Paths in a report are relative to `root`, the top of the repository, where
// that is possible: a forge shows findings next to the lines that they are about only then.
struct ReportContext {
    std::filesystem::path root; // absolute
    Subjects subjects = {};     // of the findings; without them, none are alike
    LeftOut left_out = {};
    std::string test_output =
        {};                      // of tekton, where a policy says what it is; else it is made of the findings
    bool each = false;           // also those that are alike
    std::string rules_page = {}; // the page about rules, for links to it; may be empty
    bool has_links = false;      // text and concise, to files and to that page
    DiagnosticStyle style = {};  // of text
};

// Text, of which there may be much, is made on all threads of the pool.
std::string make_report(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                        ThreadPool& pool);

// The findings as one JSON object of schema "opcat.findings.v1" (docs/json-output.md), with a line break at
// the end.
std::string findings_as_json(const Diagnostics& findings, const Subjects& subjects, const LeftOut& left_out);

// SARIF 2.1.0 (OASIS), one run, with all rules that were broken, fingerprints and fixes. What was not checked
// is a notification of the run.
std::string findings_as_sarif(const Diagnostics& findings, const ReportContext& context);

// Workflow commands of GitHub Actions ("::error file=...::..."), as many as GitHub shows: errors first, one
// for each rule and file, ten of each kind. What has no room follows, a line each.
std::string findings_as_github(const Diagnostics& findings, const ReportContext& context);

// Markdown for the summary of a step of GitHub Actions.
std::string findings_as_markdown(const Diagnostics& findings, const ReportContext& context);

// A Code Quality report of GitLab.
std::string findings_as_gitlab(const Diagnostics& findings, const ReportContext& context);

// JUnit's XML as GitLab, Jenkins and others read it: each rule with findings is a test, which fails if one is
// an error, and all other rules are one test that passes. What was not checked is a test that was skipped.
std::string findings_as_junit(const Diagnostics& findings, const ReportContext& context);

// TEST_OUTPUT, the result of a task of Konflux: one line of JSON.
std::string findings_as_tekton(const Diagnostics& findings, const ReportContext& context);

// How many findings of each rule there are in each package: lines of cells that are separated by tabs, the
// first with the titles, which name the packages with the most findings, or all; or JSON.
std::string summary_as_rows(const Diagnostics& findings, const Subjects& subjects, bool all_packages);
std::string summary_as_json(const Diagnostics& findings, const ReportContext& context);

// A finding on one line, without its notes and its help.
std::string as_one_line(const Diagnostic& finding);

// The path of a finding's file as a report names it: relative to the root, with '/' and without "..", or
// absolute.
std::string report_path(const std::string& shown, const std::filesystem::path& root);

// `finding`, the text of a finding of `rule`, with the id a hyperlink (OSC 8) to `page`.
std::string with_rule_link(std::string finding, std::string_view rule, std::string_view page);

} // namespace opcat
