#include "reports/report.hpp"

#include "environment.hpp"
#include "help/markdown.hpp"
#include "opcat/base/file_uri.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "terminal/findings.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

namespace opcat {

namespace fs = std::filesystem;

std::optional<ReportFormat> find_report_format(std::string_view name) {
    const auto found = std::find(std::begin(report_format_names), std::end(report_format_names), name);
    if (found == std::end(report_format_names)) return std::nullopt;
    return static_cast<ReportFormat>(found - std::begin(report_format_names));
}

bool is_for_people(ReportFormat format) {
    return format == ReportFormat::text || format == ReportFormat::concise || format == ReportFormat::github;
}

namespace {

// The line and column of a finding are only known after all of its file has been read: each file by one
// thread.
void look_at_files(const Diagnostics& findings, ThreadPool& pool) {
    std::vector<const SourceFile*> files;
    for (const Diagnostic& finding : findings)
        if (finding.where && (files.empty() || files.back() != finding.where.file))
            files.push_back(finding.where.file);
    pool.for_each(files.size(), [&](size_t i) { files[i]->position(0); });
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// `text`, which begins with a place, with that as a hyperlink (OSC 8) to the file.
std::string with_file_link(std::string text, const Location& where, const std::string& host) {
    std::error_code ignored;
    const std::string place = place_of(where);
    const size_t at = text.find(place);
    const fs::path path = where ? fs::absolute(where.file->path(), ignored) : fs::path();
    if (at == text.npos || !where || !fs::exists(path, ignored)) return text;
    std::string uri = uri_of_path(path.lexically_normal().generic_string());
    uri.insert(uri.find("//") + 2, host);
    text.replace(at, place.size(), fmt::format("\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\", uri, place));
    return text;
}

template <class Shown>
std::string findings_as_text(const Diagnostics& findings, const ReportContext& context, ThreadPool& pool,
                             Shown shown) {
    look_at_files(findings, pool);
    const std::string host = context.links_to_files ? host_name() : "";
    constexpr size_t portion = 8;
    std::vector<std::string> texts((findings.size() + portion - 1) / portion);
    pool.for_each(texts.size(), [&](size_t i) {
        for (size_t k = i * portion; k < std::min(findings.size(), (i + 1) * portion); ++k) {
            std::string text = with_rule_link(shown(findings[k]), findings[k].rule, context.rules_page);
            texts[i] += context.links_to_files ? with_file_link(std::move(text), findings[k].where, host)
                                               : std::move(text);
        }
    });
    std::string all;
    for (const std::string& text : texts) all += text;
    return all;
}

bool folds(ReportFormat format) {
    return is_for_people(format) || format == ReportFormat::json;
}

std::string report_of(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                      ThreadPool& pool) {
    switch (format) {
    case ReportFormat::text:
        return findings_as_text(findings, context, pool,
                                [&](const Diagnostic& d) { return to_text(d, context.style); });
    case ReportFormat::concise:
        return findings_as_text(findings, context, pool, as_one_line);
    case ReportFormat::json:
        return findings_as_json(findings, context.subjects, context.left_out);
    case ReportFormat::sarif:
        return findings_as_sarif(findings, context);
    case ReportFormat::github:
        return findings_as_github(findings, context);
    case ReportFormat::gitlab:
        return findings_as_gitlab(findings, context);
    case ReportFormat::junit:
        return findings_as_junit(findings, context);
    case ReportFormat::tekton:
        return findings_as_tekton(findings, context);
    }
    return {};
}

} // namespace

std::string make_report(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                        ThreadPool& pool) {
    if (context.each || !folds(format)) return report_of(format, findings, context, pool);
    return report_of(format, fold_alike(findings, context.subjects), context, pool);
}

fs::path report_root() {
    const fs::path here = fs::current_path();
    for (const char* variable : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
        if (const auto top = path_variable(variable)) {
            const auto below = here.lexically_relative(top->lexically_normal());
            if (!below.empty() && *below.begin() != "..") return top->lexically_normal();
        }
    return here;
}

std::string as_one_line(const Diagnostic& finding) {
    const std::string place = place_of(finding.where);
    return fmt::format("{}{}{}: {} [{}]{}\n", place, place.empty() ? "" : ": ", to_string(finding.severity),
                       escape_controls(finding.message), finding.rule,
                       finding.count > 1 && !finding.is_rest ? fmt::format(" ({} times)", finding.count)
                                                             : "");
}

namespace {

struct RuleCount {
    size_t count = 0;
    std::map<std::string_view, size_t> packages;
};

// The most frequent first.
template <class Name>
std::vector<std::pair<Name, size_t>> by_count(const std::map<Name, size_t>& counts) {
    std::vector<std::pair<Name, size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return sorted;
}

// Errors first, then the most frequent.
std::vector<std::pair<std::pair<Severity, std::string_view>, RuleCount>>
count_rules(const Diagnostics& findings, const Subjects& subjects) {
    std::map<std::pair<Severity, std::string_view>, RuleCount> counts;
    for (const Diagnostic& finding : findings) {
        RuleCount& of_rule = counts[{finding.severity, finding.rule}];
        of_rule.count += finding.count;
        if (const std::string_view package = subjects.of(finding.where).package; !package.empty())
            of_rule.packages[package] += finding.count;
    }
    std::vector<std::pair<std::pair<Severity, std::string_view>, RuleCount>> sorted(counts.begin(),
                                                                                    counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.first, b.second.count) < std::pair(b.first.first, a.second.count);
    });
    return sorted;
}

} // namespace

std::string summary_as_rows(const Diagnostics& findings, const Subjects& subjects, bool all_packages) {
    constexpr size_t few = 4;
    std::string rows = "FINDINGS\tSEVERITY\tRULE\tPACKAGES\n";
    for (const auto& [rule, counts] : count_rules(findings, subjects)) {
        const auto by_package = by_count(counts.packages);
        const size_t shown = all_packages || by_package.size() <= few + 1 ? by_package.size() : few;
        std::string packages;
        for (size_t i = 0; i < shown; ++i) {
            if (i > 0) packages += ", ";
            packages += fmt::format("{} ({})", escape_controls(by_package[i].first), by_package[i].second);
        }
        if (shown < by_package.size())
            packages += fmt::format(" and {} more (--all names them)", by_package.size() - shown);
        rows += fmt::format("{}\t{}\t{}\t{}\n", counts.count, to_string(rule.first), rule.second, packages);
    }
    return rows;
}

std::string summary_as_json(const Diagnostics& findings, const ReportContext& context) {
    using Json = nlohmann::ordered_json;
    Json rules = Json::array();
    for (const auto& [rule, counts] : count_rules(findings, context.subjects)) {
        Json packages = Json::array();
        for (const auto& [package, count] : by_count(counts.packages))
            packages.push_back({{"package", package}, {"findings", count}});
        rules.push_back({{"rule", rule.second},
                         {"severity", to_string(rule.first)},
                         {"findings", counts.count},
                         {"packages", std::move(packages)}});
    }
    return as_document(Json{{"schema", "opcat.findings-summary.v1"},
                            {"summary", summary_of(findings, context.left_out)},
                            {"rules", std::move(rules)}});
}

std::string report_path(const std::string& shown, const fs::path& root) {
    const fs::path path = fs::absolute(shown).lexically_normal();
    const fs::path relative = path.lexically_relative(root);
    if (relative.empty() || *relative.begin() == "..") return path.generic_string();
    return relative.generic_string();
}

} // namespace opcat
