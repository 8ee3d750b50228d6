// The forms of opcat's own: JSON, and how many findings each rule has.
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/counts.hpp"
#include "opcat/reports/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

// Members keep the order in which they are written here.
using Json = nlohmann::ordered_json;

Json position(const SourceFile& file, uint32_t offset) {
    const Position at = file.position(offset);
    return {{"line", at.line}, {"column", at.column}, {"offset", offset}};
}

void add_place(Json& object, const Location& where) {
    if (!where) return;
    object["file"] = where.file->path();
    object["range"] = {{"start", position(*where.file, where.offset)},
                       {"end", position(*where.file, where.offset + where.length)}};
}

Json summary_of(const Diagnostics& findings, const LeftOut& left_out) {
    const FindingCounts counts = count_findings(findings);
    Json summary = {{"errors", counts.errors},
                    {"warnings", counts.warnings},
                    {"notes", counts.notes},
                    {"consequences", left_out.explained},
                    {"suppressed", left_out.suppressed},
                    {"known", left_out.known}};
    if (left_out.unchanged > 0) {
        summary["unchanged"] = left_out.unchanged;
        summary["unchangedErrors"] = left_out.unchanged_errors;
    }
    if (left_out.unread_bundles) summary["bundlesNotRead"] = true;
    for (const NotChecked& one : not_checked_in(left_out))
        summary["notChecked"].push_back({{"check", one.check}, {"why", one.why}});
    return summary;
}

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

std::string findings_as_json(const Diagnostics& findings, const Subjects& subjects, const LeftOut& left_out) {
    Json list = Json::array();
    for (const Diagnostic& finding : findings) {
        Json object{
            {"rule", finding.rule}, {"severity", to_string(finding.severity)}, {"message", finding.message}};
        if (const auto package = subjects.of(finding.where).package; !package.empty())
            object["package"] = package;
        if (finding.count > 1) object["count"] = finding.count;
        add_place(object, finding.where);
        for (const Note& note : finding.notes) {
            Json entry{{"message", note.message}};
            add_place(entry, note.where);
            object["notes"].push_back(std::move(entry));
        }
        if (!finding.help.empty()) object["help"] = finding.help;
        list.push_back(std::move(object));
    }
    return as_document(Json{{"schema", "opcat.findings.v1"},
                            {"summary", summary_of(findings, left_out)},
                            {"findings", std::move(list)}});
}

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

} // namespace opcat
