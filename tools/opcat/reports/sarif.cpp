#include "base/text.hpp"
#include "lint/rules.hpp"
#include "reports/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <map>

namespace opcat {
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
