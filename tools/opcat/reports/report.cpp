#include "reports/report.hpp"

#include "environment.hpp"
#include "help/markdown.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/rules.hpp"
#include "terminal/findings.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace opcat {

namespace fs = std::filesystem;

std::optional<ReportFormat> find_report_format(std::string_view name) {
    const auto found = std::find(std::begin(report_format_names), std::end(report_format_names), name);
    if (found == std::end(report_format_names)) return std::nullopt;
    return static_cast<ReportFormat>(found - std::begin(report_format_names));
}

namespace {

// Where findings are in a file is known only after a look at all of it, which is taken of each file by
// one thread.
void look_at_files(const Diagnostics& findings, ThreadPool& pool) {
    std::vector<const SourceFile*> files;
    for (const Diagnostic& finding : findings)
        if (finding.where && (files.empty() || files.back() != finding.where.file))
            files.push_back(finding.where.file);
    pool.for_each(files.size(), [&](size_t i) { files[i]->position(0); });
}

std::string findings_as_text(const Diagnostics& findings, const ReportContext& context, ThreadPool& pool) {
    look_at_files(findings, pool);
    const std::vector<const Diagnostic*> ordered = errors_last(findings);
    constexpr size_t portion = 8;
    std::vector<std::string> texts((findings.size() + portion - 1) / portion);
    pool.for_each(texts.size(), [&](size_t i) {
        for (size_t k = i * portion; k < std::min(findings.size(), (i + 1) * portion); ++k)
            texts[i] +=
                with_rule_link(to_text(*ordered[k], context.style), ordered[k]->rule, context.rules_page);
    });
    std::string all;
    for (const std::string& text : texts) all += text;
    return all;
}

} // namespace

std::string make_report(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                        ThreadPool& pool) {
    switch (format) {
    case ReportFormat::text:
        return findings_as_text(findings, context, pool);
    case ReportFormat::json:
        return findings_as_json(findings);
    case ReportFormat::sarif:
        return findings_as_sarif(findings, context);
    case ReportFormat::github:
        return findings_as_github(findings, context);
    case ReportFormat::junit:
        return findings_as_junit(findings, context);
    }
    return {};
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

std::string report_path(const std::string& shown, const fs::path& root) {
    const fs::path path = fs::absolute(shown).lexically_normal();
    const fs::path relative = path.lexically_relative(root);
    if (relative.empty() || *relative.begin() == "..") return path.generic_string();
    return relative.generic_string();
}

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

} // namespace

std::string findings_as_github(const Diagnostics& findings, const ReportContext& context) {
    std::string text;
    for (const Diagnostic& finding : findings) {
        std::string properties;
        if (finding.where) {
            const SourceFile& file = *finding.where.file;
            const Position start = file.position(finding.where.offset);
            const Position end = file.position(finding.where.offset + finding.where.length);
            properties =
                fmt::format("file={},line={},endLine={},",
                            escaped(report_path(file.path(), context.root), true), start.line, end.line);
            // Columns only count within one line.
            if (start.line == end.line)
                properties += fmt::format("col={},endColumn={},", start.column, end.column);
        }
        text += fmt::format("::{} {}title={}::{}\n", command_of(finding.severity), properties,
                            escaped(finding.rule, true), escaped(message_of(finding, context), false));
    }
    return text;
}

namespace {

// For text and attributes. XML 1.0 has no way to write most control characters.
std::string xml(std::string_view text) {
    std::string out;
    for (const std::string_view character : utf8_characters(text)) {
        if (character == "&")
            out += "&amp;";
        else if (character == "<")
            out += "&lt;";
        else if (character == ">")
            out += "&gt;";
        else if (character == "\"")
            out += "&quot;";
        else if (character == "\n")
            out += '\n';
        else if (character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf")
            out += '?'; // U+FFFE and U+FFFF are no characters in XML
        else
            out += escape_controls(character);
    }
    return out;
}

std::string test_case(std::string_view rule, const Diagnostics& broken, const ReportContext& context) {
    std::string errors;
    std::string others;
    size_t count = 0;
    for (const Diagnostic& finding : broken) {
        count += finding.severity == Severity::error ? 1 : 0;
        (finding.severity == Severity::error ? errors : others) += to_text(finding, {});
    }
    std::string text = fmt::format("    <testcase classname=\"opcat\" name=\"{}\"", xml(rule));
    if (!broken.empty() && broken.front().where)
        text +=
            fmt::format(" file=\"{}\"", xml(report_path(broken.front().where.file->path(), context.root)));
    if (errors.empty() && others.empty()) return text + "/>\n";
    text += ">\n";
    if (!errors.empty())
        text += fmt::format("      <failure type=\"error\" message=\"{}\">{}</failure>\n",
                            xml(counted(count, "error")), xml(errors));
    if (!others.empty()) text += fmt::format("      <system-out>{}</system-out>\n", xml(others));
    return text + "    </testcase>\n";
}

} // namespace

std::string findings_as_junit(const Diagnostics& findings, const ReportContext& context) {
    std::map<std::string_view, Diagnostics> by_rule;
    for (const Rule& rule : rules()) by_rule[rule.id];
    for (const Diagnostic& finding : findings) by_rule[finding.rule].push_back(finding);
    std::string cases;
    size_t failures = 0;
    for (const auto& [rule, broken] : by_rule) {
        cases += test_case(rule, broken, context);
        failures += has_errors(broken) ? 1 : 0;
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"opcat validate\" tests=\"{0}\" "
        "failures=\"{1}\">\n  <testsuite name=\"opcat validate\" tests=\"{0}\" failures=\"{1}\">\n{2}"
        "  </testsuite>\n</testsuites>\n",
        by_rule.size(), failures, cases);
}

namespace {

// Members keep the order in which they are written here.
using Json = nlohmann::ordered_json;

// A URI reference (RFC 3986): what is no plain character of a path is escaped.
std::string to_uri(const std::string& path) {
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return uri;
}

Json location(const Location& where, const ReportContext& context) {
    const Position start = where.file->position(where.offset);
    const Position end = where.file->position(where.offset + where.length);
    return {{"physicalLocation",
             {{"artifactLocation", {{"uri", to_uri(report_path(where.file->path(), context.root))}}},
              {"region",
               {{"startLine", start.line},
                {"startColumn", start.column},
                {"endLine", end.line},
                {"endColumn", end.column},
                {"byteOffset", where.offset},
                {"byteLength", where.length}}}}}};
}

Json describe(std::string_view id, const Rule* rule) {
    Json json{{"id", id}};
    if (!rule) return json;
    const auto sentence = [](std::string_view text) { return std::string(text) + "."; };
    json["shortDescription"] = {{"text", sentence(rule->title)}};
    json["fullDescription"] = {{"text", rule->why}};
    json["defaultConfiguration"] = {{"level", to_string(rule->severity)}};
    json["help"] = {
        {"text", fmt::format("{}\n\nBreaks the rule:\n\n{}\n\n{}", rule->why, rule->example, rule->fix)},
        {"markdown", fmt::format("{}\n\nBreaks the rule:\n\n```yaml\n{}\n```\n\n{}", rule->why, rule->example,
                                 rule->fix)}};
    return json;
}

Json result(const Diagnostic& finding, size_t rule_index, const ReportContext& context) {
    std::string text = finding.message;
    if (!finding.help.empty()) text += "\n\nHelp: " + finding.help;
    Json json{{"ruleId", finding.rule},
              {"ruleIndex", rule_index},
              {"level", to_string(finding.severity)},
              {"message", {{"text", text}}},
              {"locations", Json::array()}};
    if (finding.where) json["locations"].push_back(location(finding.where, context));
    for (const Note& note : finding.notes) {
        if (!note.where) continue;
        Json related = location(note.where, context);
        related["message"] = {{"text", note.message}};
        json["relatedLocations"].push_back(std::move(related));
    }
    return json;
}

} // namespace

std::string findings_as_sarif(const Diagnostics& findings, const ReportContext& context) {
    std::map<std::string_view, size_t> index;
    Json rules = Json::array();
    Json results = Json::array();
    for (const Diagnostic& finding : findings) {
        const auto [rule, is_new] = index.emplace(finding.rule, index.size());
        if (is_new) rules.push_back(describe(finding.rule, find_rule(finding.rule)));
        results.push_back(result(finding, rule->second, context));
    }
    const Json report{
        {"version", "2.1.0"},
        {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"},
        {"runs",
         Json::array(
             {{{"tool", {{"driver", {{"name", "opcat"}, {"version", OPCAT_VERSION}, {"rules", rules}}}}},
               {"columnKind", "unicodeCodePoints"},
               {"results", results}}})}};
    return as_document(report);
}

} // namespace opcat
