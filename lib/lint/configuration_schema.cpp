#include "opcat/lint/configuration_schema.hpp"

#include "opcat/base/json.hpp"
#include "opcat/catalog/layout.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lint/rules.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

} // namespace

std::string configuration_schema() {
    Json levels = Json::object();
    for (const Rule& rule : rules()) {
        if (rule.id == "file") continue;
        levels[std::string(rule.id)] = {
            {"description", fmt::format("{}. Default: {}.", rule.title, to_string(rule.severity))},
            {"$ref", "#/$defs/level"}};
    }
    const Json texts{{"type", "array"}, {"items", {{"type", "string"}}}};
    const Json size{{"anyOf",
                     {{{"type", "integer"}, {"minimum", 1}},
                      {{"type", "string"}, {"pattern", "^[1-9][0-9]*(B|KiB|MiB|GiB)$"}}}}};
    const auto described = [](Json schema, const char* text) {
        schema["description"] = text;
        return schema;
    };
    const Json override{
        {"type", "object"},
        {"additionalProperties", false},
        {"required", {"rules"}},
        {"properties",
         {{"packages", described(texts, "Names of packages; * stands for any characters, ? for one.")},
          {"paths", described(texts, "Files, as in .indexignore, from the directory of this file on.")},
          {"rules", {{"$ref", "#/$defs/rules"}}}}}};
    const auto text = [&](const char* about) { return described(Json{{"type", "string"}}, about); };
    const Json catalog{
        {"type", "object"},
        {"additionalProperties", false},
        {"required", {"catalog"}},
        {"properties",
         {{"template", text("The template that the catalog is rendered from; none: it is written by hand.")},
          {"catalog", text("A file (.yaml, .json) or a directory; {version} is the version of OpenShift.")},
          {"openshift",
           {{"description", "Versions of OpenShift; each has a catalog of its own."},
            {"type", "array"},
            {"minItems", 1},
            {"items", {{"type", "string"}, {"pattern", "^[0-9]+\\.[0-9]+$"}}}}},
          {"layout",
           {{"description", "What has a file of its own in a directory."}, {"enum", layout_names}}}}}};
    const Json list_of_rules{
        {"type", "array"},
        {"description", "Levels of rules, and rules of your own: in CEL over a blob, in SQL over a catalog."},
        {"items",
         {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"id"}},
          {"properties",
           {{"id", described({{"type", "string"}}, "The name of a rule; of a new one: a-z, 0-9 and -.")},
            {"severity", {{"$ref", "#/$defs/level"}}},
            {"cel", described({{"type", "string"}}, "There is a finding where this is true of a blob.")},
            {"sql",
             described({{"type", "string"}}, "A SELECT over the tables of `opcat query`: each row is a "
                                             "finding.")},
            {"message", described({{"type", "string"}}, "What the finding says.")}}}}}};
    const Json query{
        {"type", "object"},
        {"additionalProperties", false},
        {"required", {"name", "sql"}},
        {"properties",
         {{"name", described({{"type", "string"}, {"pattern", "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"}},
                             "For `opcat query --named`.")},
          {"question", text("What the query answers, for `opcat query --list`.")},
          {"sql", text("One SELECT over the tables of `opcat query --tables`.")}}}};
    const Json limits{{"type", "object"},
                      {"additionalProperties", false},
                      {"properties",
                       {{"fileSize", described(size, "Largest file of a catalog.")},
                        {"unpackedSize", described(size, "Largest image, unpacked.")},
                        {"iconSize", described(size, "Largest icon of a package.")}}}};
    return as_document(
        Json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
             {"title", "Configuration of opcat (.opcat.yaml)"},
             {"type", {"object", "null"}},
             {"additionalProperties", false},
             {"properties",
              {{"rules", {{"anyOf", {{{"$ref", "#/$defs/rules"}}, list_of_rules}}}},
               {"overrides",
                {{"description", "Levels for some packages and files; the last one that matches decides."},
                 {"type", "array"},
                 {"items", override}}},
               {"schemas", described(texts, "Files of CUE definitions that blobs must fit, too.")},
               {"allowedRegistries",
                described(texts, "Registries, or beginnings of names, that images may be in.")},
               {"policies",
                {{"description", "Official pipelines whose verdicts are given, too."},
                 {"type", "array"},
                 {"items", {{"enum", policy_names}}}}},
               {"catalogs",
                {{"description", "The catalogs of this project, for `template render --all` and `edit`."},
                 {"type", "array"},
                 {"items", catalog}}},
               {"queries",
                {{"description", "Questions about catalogs, for `opcat query --named`."},
                 {"type", "array"},
                 {"maxItems", OwnQuery::most},
                 {"items", query}}},
               {"limits", limits}}},
             {"$defs",
              {{"level",
                {{"description", "off without quotes is a boolean in YAML 1.1, and works."},
                 {"enum", {"off", "note", "warning", "error", false}}}},
               {"rules",
                {{"description", "Levels of rules, by their names."},
                 {"type", "object"},
                 {"additionalProperties", false},
                 {"properties", std::move(levels)}}}}}});
}

} // namespace opcat
