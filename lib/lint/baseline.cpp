#include "opcat/lint/baseline.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/json.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace opcat {
namespace {

constexpr std::string_view baseline_rule = "baseline";
constexpr std::string_view baseline_schema = "opcat.baseline.v1";
constexpr const char* baseline_help = "write it again with --write-baseline FILE";

bool is_fingerprint(std::string_view text) {
    return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

} // namespace

Baseline Baseline::read(const SourceFile& file, Diagnostics& problems) {
    Baseline baseline;
    Arena arena;
    Diagnostics found;
    if (const auto root = read_object(file, arena, "a baseline", baseline_rule, found)) {
        const FieldReader fields(&file, *root, "the baseline", found);
        const Text schema = fields.string("schema");
        if (schema.text != baseline_schema)
            found.push_back(error(
                baseline_rule, {&file, schema.offset, 1},
                schema.empty() ? fmt::format("this is not a baseline: it has no schema {}", baseline_schema)
                               : fmt::format("the schema of this baseline is {}, and this version of "
                                             "opcat reads {}",
                                             go_quote(schema.text), baseline_schema),
                baseline_help));
        else if (const Value* const list = fields.array("findings")) {
            baseline.asked_ = fields.string("asked").text;
            for (const Value& item : list->items()) {
                const Value* const mark = item.find("fingerprint");
                const auto text = [&](std::string_view field) {
                    const Value* const value = item.find(field);
                    return std::string(value ? value->string_or_empty() : "");
                };
                if (mark && is_fingerprint(mark->string_or_empty()))
                    baseline.entries_.emplace(mark->string(), Entry{text("package"), text("rule")});
                else
                    found.push_back(error(baseline_rule, {&file, (mark ? *mark : item).offset(), 1},
                                          "a finding of the baseline has no valid fingerprint",
                                          baseline_help));
            }
        } else
            found.push_back(error(baseline_rule, {&file, root->offset(), 1}, "the baseline has no findings",
                                  baseline_help));
    }
    for (Diagnostic& problem : found) problem.rule = baseline_rule;
    std::move(found.begin(), found.end(), std::back_inserter(problems));
    return baseline;
}

std::string baseline_without(const SourceFile& file, const std::unordered_set<std::string>& fingerprints) {
    auto baseline = nlohmann::ordered_json::parse(file.bytes(), nullptr, false);
    if (!baseline.is_object() || !baseline["findings"].is_array())
        throw Error(fmt::format("cannot remove findings from {}: it is not JSON", file.path()),
                    baseline_help);
    auto& list = baseline["findings"].get_ref<nlohmann::ordered_json::array_t&>();
    std::erase_if(list, [&](const nlohmann::ordered_json& finding) {
        const auto mark = finding.find("fingerprint");
        return mark != finding.end() && mark->is_string() && fingerprints.contains(*mark);
    });
    return as_document(baseline);
}

std::string baseline_text(const Diagnostics& findings, const Subjects& subjects, const std::string& asked) {
    const std::vector<std::string> marks = fingerprints(findings, subjects);
    std::vector<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>> rows;
    for (size_t i = 0; i < findings.size(); ++i)
        rows.emplace_back(subjects.of(findings[i].where).package, findings[i].rule, findings[i].message,
                          marks[i]);
    std::sort(rows.begin(), rows.end());
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [package, rule, message, mark] : rows) {
        nlohmann::ordered_json entry{{"fingerprint", mark}, {"rule", rule}};
        if (!package.empty()) entry["package"] = package;
        entry["message"] = message;
        list.push_back(std::move(entry));
    }
    nlohmann::ordered_json baseline{{"schema", baseline_schema}};
    if (!asked.empty()) baseline["asked"] = asked;
    baseline["findings"] = std::move(list);
    return as_document(baseline);
}

} // namespace opcat
