#include "command.hpp"
#include "configuration.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/lint/configuration_schema.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/policy/policy.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

struct ConfigOptions {
    std::string reference = ".";
    ConfigurationFlags flags;
    Form format = Form::text;
    std::string policy; // whose checks are shown instead
};

// A setting of a rule, with what it is for.
struct EffectiveRule {
    std::string_view rule;
    std::string_view level;
    std::string scope; // packages and paths; empty: all
    std::string origin;
};

std::string scope_of(const RuleOverride& part) {
    std::string scope;
    if (!part.packages.empty()) scope = fmt::format("packages {}", fmt::join(part.packages, ", "));
    if (!part.paths.empty())
        scope += fmt::format("{}paths {}", scope.empty() ? "" : "; ", fmt::join(part.paths, ", "));
    return scope;
}

// For each rule in the order of precedence: the command line, overrides from the last to the first, the rules
// of the file, and the rule's default.
std::vector<EffectiveRule> effective_rules(const Configuration& configuration) {
    std::vector<EffectiveRule> rows;
    for (const Rule& rule : rules()) {
        const auto add = [&](const RuleSettings& settings, const std::string& scope) {
            const auto found = settings.find(rule.id);
            if (found == settings.end()) return false;
            rows.push_back({rule.id, to_string(found->second.value), scope, found->second.origin});
            return true;
        };
        if (add(configuration.overriding, "")) continue;
        for (auto part = configuration.overrides.rbegin(); part != configuration.overrides.rend(); ++part)
            add(part->rules, scope_of(*part));
        if (!add(configuration.rules, "")) rows.push_back({rule.id, to_string(rule.severity), "", "default"});
    }
    return rows;
}

struct LimitRow {
    std::string_view name;
    const std::optional<Setting<uint64_t>>& setting;
    std::string_view otherwise;
};

std::vector<LimitRow> limits_of(const Configuration& configuration) {
    return {{"fileSize", configuration.largest_file, "4 GiB"},
            {"unpackedSize", configuration.largest_image, "4 GiB"},
            {"iconSize", configuration.largest_icon, "256 KiB"}};
}

// "templates/4.18.yaml -> v4.18/foo.yaml (layout bundle)".
std::string shown(const CatalogSetting& setting) {
    std::string text = as_people_write(setting.catalog);
    if (!setting.template_file.empty())
        text = fmt::format("{} -> {}", as_people_write(setting.template_file), text);
    if (!setting.is_file()) text += fmt::format(" (layout {})", to_string(setting.layout));
    return text;
}

std::string as_text(const Configuration& configuration, const FoundConfiguration& found) {
    std::string rows = "SETTING\tVALUE\tFOR\tORIGIN\n";
    rows +=
        fmt::format("file\t{}\t\t\n", found.file ? escape_controls(as_people_write(*found.file)) : "none");
    for (const PassedOver& file : found.passed_over)
        rows += fmt::format("not read\t{}\t\t{}\n", escape_controls(as_people_write(file.file)), file.why);
    for (const EffectiveRule& row : effective_rules(configuration))
        rows += fmt::format("rules.{}\t{}\t{}\t{}\n", row.rule, row.level, escape_controls(row.scope),
                            row.origin);
    for (const auto& schema : configuration.schemas)
        rows += fmt::format("schemas\t{}\t\t{}\n", escape_controls(schema.value.string()), schema.origin);
    for (const OwnRule& rule : configuration.own_rules)
        rows += fmt::format("rules.{}\t{}\t\t{}\n", rule.id,
                            to_string(configuration.level_of(rule.id, {}, nullptr).value_or(Level::warning)),
                            rule.origin);
    for (const std::string& registry : configuration.registries)
        rows += fmt::format("allowedRegistries\t{}\t\t\n", escape_controls(registry));
    for (const auto& policy : configuration.policies)
        rows += fmt::format("policies\t{}\t\t{}\n", policy.value, policy.origin);
    for (const CatalogSetting& setting : configuration.catalogs)
        rows +=
            fmt::format("catalogs\t{}\t{}\t{}\n", escape_controls(shown(setting)),
                        setting.openshift.empty() ? "" : "OpenShift " + setting.openshift, setting.origin);
    for (const OwnQuery& query : configuration.queries)
        rows +=
            fmt::format("queries.{}\t{}\t\t{}\n", query.name, escape_controls(query.question), query.origin);
    for (const LimitRow& limit : limits_of(configuration))
        rows += fmt::format("limits.{}\t{}\t\t{}\n", limit.name,
                            limit.setting ? human_size(limit.setting->value) : std::string(limit.otherwise),
                            limit.setting ? limit.setting->origin : "default");
    return rows;
}

std::string as_json(const Configuration& configuration, const FoundConfiguration& found) {
    Json passed_over = Json::array();
    for (const PassedOver& file : found.passed_over)
        passed_over.push_back({{"file", as_people_write(file.file)}, {"reason", file.why}});
    Json rules = Json::array();
    for (const EffectiveRule& row : effective_rules(configuration)) {
        Json one{{"rule", row.rule}, {"level", row.level}};
        if (!row.scope.empty()) one["for"] = row.scope;
        one["origin"] = row.origin;
        rules.push_back(std::move(one));
    }
    Json own_rules = Json::array();
    for (const OwnRule& rule : configuration.own_rules)
        own_rules.push_back(
            {{"rule", rule.id},
             {"level", to_string(configuration.level_of(rule.id, {}, nullptr).value_or(Level::warning))},
             {rule.program ? "cel" : "sql", rule.condition},
             {"message", rule.message},
             {"origin", rule.origin}});
    Json schemas = Json::array();
    for (const auto& schema : configuration.schemas)
        schemas.push_back({{"file", schema.value.string()}, {"origin", schema.origin}});
    Json policies = Json::array();
    for (const auto& policy : configuration.policies)
        policies.push_back({{"policy", policy.value}, {"origin", policy.origin}});
    Json catalogs = Json::array();
    for (const CatalogSetting& setting : configuration.catalogs) {
        Json one{{"catalog", as_people_write(setting.catalog)}};
        if (!setting.template_file.empty()) one["template"] = as_people_write(setting.template_file);
        if (!setting.openshift.empty()) one["openshift"] = setting.openshift;
        if (!setting.is_file()) one["layout"] = to_string(setting.layout);
        one["csvMetadata"] = setting.takes_csv_metadata();
        one["origin"] = setting.origin;
        catalogs.push_back(std::move(one));
    }
    Json queries = Json::array();
    for (const OwnQuery& query : configuration.queries)
        queries.push_back({{"name", query.name},
                           {"question", query.question},
                           {"sql", query.sql},
                           {"origin", query.origin}});
    Json limits = Json::object();
    for (const LimitRow& limit : limits_of(configuration))
        if (limit.setting)
            limits[std::string(limit.name)] = {{"bytes", limit.setting->value},
                                               {"origin", limit.setting->origin}};
    return as_document(Json{{"schema", "opcat.config.v1"},
                            {"file", found.file ? Json(as_people_write(*found.file)) : Json(nullptr)},
                            {"notRead", std::move(passed_over)},
                            {"rules", std::move(rules)},
                            {"ownRules", std::move(own_rules)},
                            {"allowedRegistries", configuration.registries},
                            {"schemas", std::move(schemas)},
                            {"policies", std::move(policies)},
                            {"catalogs", std::move(catalogs)},
                            {"queries", std::move(queries)},
                            {"limits", std::move(limits)}});
}

// The checks of a policy, in the order of its pipeline, and the commits that they mirror.
void show_policy(const ConfigOptions& options, Session& session) {
    const policy::Pipeline pipeline = policy::pipeline_named(options.policy);
    if (options.format == Form::json) {
        Json checks = Json::array();
        for (const policy::CheckInfo& check : policy::checks_of(pipeline)) {
            Json one{{"task", check.task}, {"check", check.name}, {"asks", check.what}};
            if (!check.not_here.empty()) one["notCheckedHere"] = check.not_here;
            checks.push_back(std::move(one));
        }
        session.out.write(as_document(Json{{"schema", "opcat.policy.v1"},
                                           {"policy", options.policy},
                                           {"upstream", policy::upstream_of(pipeline)},
                                           {"checks", std::move(checks)}}));
        return;
    }
    std::string rows = "TASK\tCHECK\tHERE\tASKS THAT\n";
    for (const policy::CheckInfo& check : policy::checks_of(pipeline))
        rows += fmt::format("{}\t{}\t{}\t{}\n", check.task, check.name, check.not_here.empty() ? "yes" : "no",
                            check.what);
    session.out.write(table_in_locale(rows, session));
    session.out.write(fmt::format("\nAs in {}\n", policy::upstream_of(pipeline)));
}

void show(const ConfigOptions& options, Session& session) {
    if (!options.policy.empty()) return show_policy(options, session);
    std::error_code ignored;
    if (!options.reference.empty() && options.reference != "-" &&
        !names_image(options.reference, session.manner()) &&
        !std::filesystem::exists(options.reference, ignored))
        throw Error("cannot read " + options.reference + ": no such file or directory");
    auto configuration = configuration_for(options.reference, options.flags, session);
    if (!configuration) return;
    if (configuration->catalogs.empty() && std::filesystem::is_directory(options.reference, ignored)) {
        auto mapped = mapped_catalogs(options.reference, session);
        if (!mapped) return;
        configuration->catalogs = *std::move(mapped);
    }
    const FoundConfiguration found = configuration_file_for(options.reference, options.flags, session);
    session.out.write(options.format == Form::json
                          ? as_json(*configuration, found)
                          : table_in_locale(as_text(*configuration, found), session));
}

} // namespace

void add_config(Command tree, Session& session) {
    const Command command = tree.add_command("config", "Show the configuration of checks");
    command.needs_command();
    command.footer("Example:\n  opcat config show catalog/");

    const Command shown =
        command.add_command("show", "Show every setting for a catalog and where it comes from");
    auto& options = shown.action<ConfigOptions>(show, session);
    shown.add_option("REF", options.reference, "The catalog; without it, the directory we are in");
    add_configuration_flags(shown, options.flags);
    shown.add_choice("-o,--output", options.format, {Form::text, Form::json}, "Format: text or json");
    shown.add_option("--policy", options.policy, "Show the checks of an official pipeline instead")
        .one_of({std::begin(policy_names), std::end(policy_names)});
    shown.footer(
        "Examples:\n  opcat config show --rule schema=off catalog/\n  opcat config show --policy konflux");

    command.add_command("schema", "Write the JSON Schema of .opcat.yaml, for editors")
        .footer("Example:\n  opcat config schema > opcat.schema.json      # for editors, see "
                "docs/configuration.md")
        .callback([&session] { session.out.write(configuration_schema()); });
}

} // namespace opcat
