#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/reports/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace opcat {
namespace {

// The runner takes a line for a command; in the value of a property, ':' and ',' are special as well.
std::string escaped(std::string_view text, bool property) {
    std::string out;
    for (const char c : text) {
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out;
}

std::string_view command_of(Severity severity) {
    return severity == Severity::note ? "notice" : to_string(severity);
}

// Readers see the annotated file, and only that.
std::string place_of(const Location& where, const SourceFile* annotated, const ReportContext& context) {
    if (!where) return {};
    const uint32_t line = where.file->position(where.offset).line;
    if (where.file == annotated) return fmt::format(" on line {}", line);
    return fmt::format(" at {}:{}", report_path(where.file->path(), context.root), line);
}

std::string message_of(const Diagnostic& finding, const ReportContext& context) {
    std::string text = finding.message;
    for (const Note& note : finding.notes)
        text += "\nnote: " + note.message + place_of(note.where, finding.where.file, context);
    if (!finding.help.empty()) text += "\nhelp: " + finding.help;
    // Line breaks are ours; anything else that commands a terminal is the catalog's.
    std::string safe;
    for (const std::string_view character : utf8_characters(text))
        safe += character == "\n" ? "\n" : escape_controls(character);
    return safe;
}

std::string as_command(const Diagnostic& finding, size_t others, const ReportContext& context) {
    std::string properties;
    if (finding.where) {
        const SourceFile& file = *finding.where.file;
        const Position start = file.position(finding.where.offset);
        const Position end = file.position(finding.where.offset + finding.where.length);
        properties = fmt::format("file={},line={},endLine={},",
                                 escaped(escape_controls(report_path(file.path(), context.root)), true),
                                 start.line, end.line);
        // Columns only count within one line.
        if (start.line == end.line)
            properties += fmt::format("col={},endColumn={},", start.column, end.column);
    }
    std::string message = message_of(finding, context);
    if (others > 0)
        message += fmt::format("\nnote: the file has {} of this rule", counted(others, "more finding"));
    return fmt::format("::{} {}title={}::{}\n", command_of(finding.severity), properties,
                       escaped(finding.rule, true), escaped(message, false));
}

} // namespace

std::string findings_as_github(const Diagnostics& findings, const ReportContext& context) {
    constexpr size_t most = 10; // of a kind, in a step
    std::array<std::vector<const Diagnostic*>, 3> kinds;
    std::map<std::tuple<Severity, std::string_view, const SourceFile*>, size_t> alike;
    for (const Diagnostic& finding : findings)
        if (++alike[{finding.severity, finding.rule, finding.where.file}] == 1 || !finding.where)
            kinds[static_cast<size_t>(finding.severity)].push_back(&finding);
    std::string text;
    std::set<const Diagnostic*> annotated;
    for (const auto& kind : kinds)
        for (size_t i = 0; i < std::min(kind.size(), most); ++i) {
            const Diagnostic& finding = *kind[i];
            const size_t all = alike[{finding.severity, finding.rule, finding.where.file}];
            text += as_command(finding, finding.where ? all - 1 : 0, context);
            annotated.insert(&finding);
        }
    // In the log; a line that begins with anything but "::" is not a command.
    for (const Diagnostic& finding : findings)
        if (!annotated.contains(&finding)) text += "- " + as_one_line(finding);
    return text;
}

std::string findings_as_markdown(const Diagnostics& findings, const ReportContext& context) {
    constexpr size_t most = 500; // rows; GitHub refuses summaries of more than 1 MiB
    const auto in_cell = [](std::string_view words) { return markdown_code(words, true); };
    Diagnostics rows = fold_alike(findings, context.subjects);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.severity < b.severity; });
    std::string text = "### opcat validate\n\n";
    for (const NotChecked& one : not_checked_in(context.left_out))
        text += fmt::format("Not checked here: {}: {}\n\n", in_cell(one.check), in_cell(one.why));
    if (rows.empty()) return text + "No findings.\n\n";
    text += "| severity | rule | package | place | finding | count |\n|---|---|---|---|---|---|\n";
    for (size_t i = 0; i < std::min(rows.size(), most); ++i) {
        const Diagnostic& finding = rows[i];
        std::string place;
        if (finding.where)
            place = fmt::format("{}:{}", report_path(finding.where.file->path(), context.root),
                                finding.where.file->position(finding.where.offset).line);
        const std::string help = finding.help.empty() ? "" : "<br>" + in_cell(finding.help);
        text += fmt::format("| {} | {} | {} | {} | {}{} | {} |\n", to_string(finding.severity), finding.rule,
                            in_cell(context.subjects.of(finding.where).package), in_cell(place),
                            in_cell(finding.message), help, finding.count);
    }
    if (rows.size() > most) text += fmt::format("\nThere are {} more rows in the log.\n", rows.size() - most);
    return text + "\n";
}

std::string findings_as_gitlab(const Diagnostics& findings, const ReportContext& context) {
    using Json = nlohmann::ordered_json;
    constexpr std::string_view severities[] = {"critical", "minor", "info"};
    const std::vector<std::string> marks = fingerprints(findings, context.subjects);
    Json list = Json::array();
    for (size_t i = 0; i < findings.size(); ++i) {
        const Diagnostic& finding = findings[i];
        // GitLab wants a place of everything.
        const std::string path =
            finding.where ? report_path(finding.where.file->path(), context.root) : std::string(".");
        const uint32_t line = finding.where ? finding.where.file->position(finding.where.offset).line : 1;
        std::string description = finding.message;
        if (!finding.help.empty()) description += ": " + finding.help;
        list.push_back({{"description", escape_controls(description)},
                        {"check_name", finding.rule},
                        {"fingerprint", marks[i]},
                        {"severity", severities[static_cast<size_t>(finding.severity)]},
                        {"location", {{"path", escape_controls(path)}, {"lines", {{"begin", line}}}}}});
    }
    return as_document(list);
}

} // namespace opcat
