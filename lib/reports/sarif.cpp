#include "opcat/base/file_uri.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/reports/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <map>

namespace opcat {
namespace {

// Members keep the order in which they are written here.
using Json = nlohmann::ordered_json;

Json artifact(const SourceFile& file, const ReportContext& context) {
    return {{"uri", uri_of_path(report_path(file.path(), context.root))}};
}

Json region(const Location& where) {
    const Position start = where.file->position(where.offset);
    const Position end = where.file->position(where.offset + where.length);
    return {{"startLine", start.line}, {"startColumn", start.column}, {"endLine", end.line},
            {"endColumn", end.column}, {"byteOffset", where.offset},  {"byteLength", where.length}};
}

Json location(const Location& where, const ReportContext& context) {
    return {{"physicalLocation",
             {{"artifactLocation", artifact(*where.file, context)}, {"region", region(where)}}}};
}

Json as_json(const Fix& fix, const ReportContext& context) {
    std::map<const SourceFile*, Json> replacements;
    for (const TextEdit& edit : fix.edits)
        replacements[edit.where.file].push_back(
            {{"deletedRegion", region(edit.where)}, {"insertedContent", {{"text", edit.text}}}});
    Json changes = Json::array();
    for (auto& [file, list] : replacements)
        changes.push_back(
            {{"artifactLocation", artifact(*file, context)}, {"replacements", std::move(list)}});
    return {{"description", {{"text", fix.title}}}, {"artifactChanges", std::move(changes)}};
}

constexpr std::string_view homepage = OPCAT_HOMEPAGE;

// Returns the address of the rule's page: that of the release, or else the installed page.
std::string help_of_rule(std::string_view id, const std::string& page) {
    if (!homepage.empty()) return fmt::format("{}/blob/v{}/docs/rules.md#{}", homepage, OPCAT_VERSION, id);
    return page.empty() ? page : fmt::format("{}#{}", page, id);
}

Json describe(std::string_view id, const Rule* rule, const std::string& page) {
    Json json{{"id", id}};
    if (!rule) return json;
    if (const std::string uri = help_of_rule(id, page); !uri.empty()) json["helpUri"] = uri;
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

Json result(const Diagnostic& finding, size_t rule_index, const std::string& fingerprint,
            const ReportContext& context) {
    std::string text = finding.message;
    if (!finding.help.empty()) text += "\n\nHelp: " + finding.help;
    Json json{{"ruleId", finding.rule},
              {"ruleIndex", rule_index},
              {"level", to_string(finding.severity)},
              {"message", {{"text", escape_controls_in_lines(text)}}},
              {"locations", Json::array()}};
    if (finding.where) json["locations"].push_back(location(finding.where, context));
    if (finding.count > 1) json["occurrenceCount"] = finding.count;
    for (const Note& note : finding.notes) {
        if (!note.where) continue;
        Json related = location(note.where, context);
        related["message"] = {{"text", escape_controls_in_lines(note.message)}};
        json["relatedLocations"].push_back(std::move(related));
    }
    // GitHub looks at no other name than the first.
    json["partialFingerprints"] = {{"primaryLocationLineHash", fingerprint}, {"opcat/v1", fingerprint}};
    constexpr size_t most = 1000; // edits: more are for `validate --fix`, not for a person to look at
    if (finding.fix && finding.fix.edits.size() <= most)
        json["fixes"] = Json::array({as_json(finding.fix, context)});
    return json;
}

} // namespace

std::string findings_as_sarif(const Diagnostics& findings, const ReportContext& context) {
    std::map<std::string_view, size_t> index;
    Json rules = Json::array();
    Json results = Json::array();
    const std::vector<std::string> marks = fingerprints(findings, context.subjects);
    for (size_t i = 0; i < findings.size(); ++i) {
        const Diagnostic& finding = findings[i];
        const auto [rule, is_new] = index.emplace(finding.rule, index.size());
        if (is_new) rules.push_back(describe(finding.rule, find_rule(finding.rule), context.rules_page));
        results.push_back(result(finding, rule->second, marks[i], context));
    }
    Json driver{{"name", "opcat"}, {"version", OPCAT_VERSION}};
    if (!homepage.empty()) driver["informationUri"] = homepage;
    driver["rules"] = std::move(rules);
    Json run{{"tool", {{"driver", std::move(driver)}}}, {"columnKind", "unicodeCodePoints"}};
    Json notifications = Json::array();
    for (const NotChecked& one : not_checked_in(context.left_out))
        notifications.push_back(
            {{"level", "note"},
             {"message", {{"text", fmt::format("not checked here: {}: {}", one.check, one.why)}}}});
    if (!notifications.empty())
        run["invocations"] = {
            {{"executionSuccessful", true}, {"toolExecutionNotifications", std::move(notifications)}}};
    run["results"] = std::move(results);
    const Json report{
        {"version", "2.1.0"},
        {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"},
        {"runs", Json::array({std::move(run)})}};
    return as_document(report);
}

} // namespace opcat
