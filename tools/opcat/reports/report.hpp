// Findings in the forms that other programs read.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

enum class ReportFormat { text, json, sarif, github, junit };

constexpr std::string_view report_format_names[] = {"text", "json", "sarif", "github", "junit"};

std::optional<ReportFormat> find_report_format(std::string_view name);

// What the forms have in common. Paths in a report are relative to `root`, the top of the repository, where
// that is possible: a forge shows findings beside the lines that they are about only then.
struct ReportContext {
    std::filesystem::path root;  // absolute
    std::string rules_page = {}; // where text links the ids of rules to; may be empty
    DiagnosticStyle style = {};  // of text
};

// Text, of which there may be much, is made on all threads of the pool.
std::string make_report(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                        ThreadPool& pool);

// SARIF 2.1.0 (OASIS), one run, with all rules that were broken.
std::string findings_as_sarif(const Diagnostics& findings, const ReportContext& context);

// Workflow commands of GitHub Actions ("::error file=...::..."), one line each.
std::string findings_as_github(const Diagnostics& findings, const ReportContext& context);

// JUnit's XML as GitLab, Jenkins and others read it: each rule is a test, and fails if it is broken by an
// error.
std::string findings_as_junit(const Diagnostics& findings, const ReportContext& context);

// The top of the repository, if this is a job of GitHub or GitLab below it; else where we are.
std::filesystem::path report_root();

// The path of a finding's file as a report names it: relative to the root, with '/' and without "..", or
// absolute.
std::string report_path(const std::string& shown, const std::filesystem::path& root);

} // namespace opcat
