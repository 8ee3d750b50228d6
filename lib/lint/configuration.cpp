#include "opcat/lint/configuration.hpp"

#include "opcat/base/below.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/lint/project_checks.hpp"
#include "opcat/lint/rules.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>

namespace opcat {

namespace fs = std::filesystem;

std::string_view to_string(Level level) {
    return level_names[static_cast<size_t>(level)];
}

namespace {

constexpr std::string_view configuration_rule = "configuration";

std::optional<Level> level_named(std::string_view name) {
    const auto* const found = std::find(std::begin(level_names), std::end(level_names), name);
    if (found == std::end(level_names)) return std::nullopt;
    return static_cast<Level>(found - std::begin(level_names));
}

std::string wrong_level(std::string_view written) {
    return fmt::format("{} is not a level: write {}", go_quote(written),
                       fmt::join(std::begin(level_names), std::end(level_names), ", "));
}

// Empty: there is no such rule.
std::string_view id_of(std::string_view name, std::span<const OwnRule> own_rules) {
    if (const Rule* const rule = find_rule(name)) return rule->id;
    const auto own = std::find_if(own_rules.begin(), own_rules.end(),
                                  [&](const OwnRule& rule) { return rule.id == name; });
    return own == own_rules.end() ? std::string_view() : own->id;
}

// Why the level of a rule cannot be set; nothing if it can.
std::optional<ParseError> reason_against(std::string_view name, std::span<const OwnRule> own_rules) {
    if (id_of(name, own_rules).empty()) {
        std::vector<std::string_view> names;
        for (const OwnRule& rule : own_rules) names.push_back(rule.id);
        for (const Rule& rule : rules()) names.push_back(rule.id);
        const std::string near = did_you_mean(name, names);
        return ParseError{fmt::format("there is no rule {}", go_quote(name)), 0, name.size(),
                          near.empty() ? "`opcat explain` lists all rules" : near};
    }
    if (name == "file")
        return ParseError{
            "the level of the rule \"file\" cannot be changed", 0, name.size(),
            "a file that cannot be read is not checked at all: list it in .indexignore if it is "
            "not part of the catalog"};
    return std::nullopt;
}

} // namespace

std::optional<ParseError> add_rule_setting(std::string_view text, const std::string& origin,
                                           std::span<const OwnRule> own_rules, RuleSettings& settings) {
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals == text.npos)
        return ParseError{fmt::format("{} does not say a level", go_quote(text)), 0, text.size(),
                          "write NAME=LEVEL, as in channel-heads=warning"};
    if (auto reason = reason_against(name, own_rules)) return reason;
    const auto level = level_named(text.substr(equals + 1));
    if (!level) return ParseError{wrong_level(text.substr(equals + 1)), equals + 1, 0, {}};
    settings.insert_or_assign(id_of(name, own_rules), Setting<Level>{*level, origin});
    return std::nullopt;
}

bool RuleOverride::matches(std::string_view package, std::span<const std::string_view> path) const {
    uint64_t steps = 0;
    const bool package_fits =
        packages.empty() || std::any_of(package_patterns.begin(), package_patterns.end(),
                                        [&](const NamePattern& p) { return p.matches(package, steps); });
    return package_fits &&
           (paths.empty() || path_patterns.verdict(path, steps) == IgnoreRules::Verdict::ignored);
}

namespace {

// Returns the components of a file's path: from the directory on if the file is below it, else as it is
// shown.
std::vector<std::string> components_of(const SourceFile* file, const fs::path& directory) {
    std::vector<std::string> parts;
    if (!file) return parts;
    fs::path path = fs::absolute(file->path()).lexically_normal().lexically_relative(directory);
    if (path.empty() || *path.begin() == "..") path = file->path();
    for (const fs::path& part : path) parts.push_back(part.string());
    return parts;
}

} // namespace

std::optional<Level> Configuration::level_of(std::string_view rule, std::string_view package,
                                             const SourceFile* file) const {
    if (const auto found = overriding.find(rule); found != overriding.end()) return found->second.value;
    std::optional<std::vector<std::string>> parts;
    std::vector<std::string_view> path;
    for (auto override = overrides.rbegin(); override != overrides.rend(); ++override) {
        const auto found = override->rules.find(rule);
        if (found == override->rules.end()) continue;
        if (!parts) {
            parts = components_of(file, directory);
            path.assign(parts->begin(), parts->end());
        }
        if (override->matches(package, path)) return found->second.value;
    }
    const auto found = rules.find(rule);
    return found == rules.end() ? std::nullopt : std::optional(found->second.value);
}

namespace {

// The directory with `.git` that a directory is below, or the directory itself.
fs::path top_of(const fs::path& directory, std::span<const std::string> folders) {
    std::error_code failed;
    for (fs::path top = directory;; top = top.parent_path()) {
        if (fs::exists(fs::symlink_status(top / ".git", failed))) return top;
        if (top == top.parent_path()) break;
    }
    for (const std::string& folder : folders)
        if (const fs::path top = fs::weakly_canonical(folder, failed); !failed && is_below(directory, top))
            return top;
    return directory;
}

// Why a file in a directory at or below `top` is not trusted; empty if it is.
std::string reason_against_file(const fs::path& file, const fs::path& top) {
    struct stat link {};
    struct stat target {};
    if (::lstat(file.c_str(), &link) != 0 || ::stat(file.c_str(), &target) != 0)
        return "it cannot be read: " + system_message(errno);
    if (!S_ISREG(target.st_mode)) return "it is not a file";
    for (const uid_t owner : {link.st_uid, target.st_uid})
        if (owner != 0 && owner != ::geteuid())
            return fmt::format("it belongs to another user (uid {})", owner);
    std::error_code failed;
    const fs::path real = fs::canonical(file, failed);
    if (failed) return "it cannot be read: " + system_message(failed.value());
    if (real.filename() != file.filename() || !is_below(real, top))
        return "it is a link to a file of another name, or out of the repository";
    return {};
}

} // namespace

FoundConfiguration find_configuration_file(const fs::path& catalog, std::span<const std::string> folders) {
    FoundConfiguration found;
    std::error_code failed;
    fs::path directory = fs::weakly_canonical(catalog, failed);
    if (failed) return found;
    if (!fs::is_directory(directory, failed)) directory = directory.parent_path();
    const fs::path top = top_of(directory, folders);
    for (;; directory = directory.parent_path()) {
        const fs::path file = directory / configuration_file_name;
        if (fs::symlink_status(file, failed).type() != fs::file_type::not_found) {
            std::string reason = reason_against_file(file, top);
            if (reason.empty()) {
                found.file = file;
                return found;
            }
            found.passed_over.push_back({file, std::move(reason)});
        }
        if (directory == top) return found;
    }
}

namespace {

// Why a file may not be a schema of a configuration in `directory`; empty if it may. What is not CUE is not
// even opened: the excerpts of findings would show it.
std::string reason_against_schema(const fs::path& file, const fs::path& directory) {
    std::error_code failed;
    const fs::path top = fs::weakly_canonical(directory, failed);
    const fs::path real = fs::weakly_canonical(file, failed);
    if (failed) return "it cannot be read: " + system_message(failed.value());
    if (!is_below(real, top)) return "it is not below the directory of this file";
    if (file.extension() != ".cue" || real.extension() != ".cue") return "its name does not end in .cue";
    return {};
}

class ConfigurationReader {
public:
    ConfigurationReader(const SourceFile& file, fs::path directory, Diagnostics& diagnostics)
        : file_(file), diagnostics_(diagnostics) {
        result_.directory = std::move(directory);
    }

    Configuration read() {
        // A file of nothing but comments is a configuration that changes nothing.
        if (is_blank()) return std::move(result_);
        const auto root = read_object(file_, arena_, "a configuration", configuration_rule, diagnostics_);
        if (!root) return std::move(result_);
        refuse_repeated_keys(*root);
        const FieldReader fields(&file_, *root, "the configuration", diagnostics_);
        constexpr std::array<std::string_view, 8> known{"rules",    "overrides",        "schemas",
                                                        "policies", "catalogs",         "queries",
                                                        "limits",   "allowedRegistries"};
        fields.refuse_all_but(known, configuration_rule);
        const Value* const rules = fields.find("rules");
        if (rules && rules->is_array())
            read_rule_list(*rules);
        else
            read_rules(fields.object("rules"), result_.rules);
        for (const Text& registry : fields.strings("allowedRegistries", arena_)) read_registry(registry);
        if (const Value* const list = fields.array("overrides"))
            for (const Value& item : list->items()) read_override(item);
        for (const Text& schema : fields.strings("schemas", arena_)) read_schema(schema);
        for (const Text& policy : fields.strings("policies", arena_)) read_policy(policy);
        if (const Value* const list = fields.array("catalogs"))
            result_.catalogs = read_catalog_settings(file_, *list, result_.directory, diagnostics_);
        if (const Value* const list = fields.array("queries"))
            result_.queries = read_own_queries(file_, *list, diagnostics_);
        if (const Value* const limits = fields.object("limits")) read_limits(*limits);
        for (Diagnostic& finding : diagnostics_) finding.rule = configuration_rule;
        return std::move(result_);
    }

private:
    bool is_blank() const {
        const std::vector<std::string_view> lines = lines_of(file_.bytes());
        return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
            const size_t at = line.find_first_not_of(" \t\r");
            return at == line.npos || line[at] == '#' || line == "---";
        });
    }

    void refuse_repeated_keys(const Value& root) {
        for (const RepeatedKey& key : find_repeated_keys(root))
            add_error(key.again, fmt::format("{} is given twice; also on line {}", key.again.string(),
                                             file_.position(key.before.offset()).line));
    }

    std::string origin(uint32_t offset) const { return place_of({&file_, offset, 1}); }

    void add_error(const Value& at, std::string message, std::string help = {}) {
        const auto length = static_cast<uint32_t>(std::max<size_t>(1, at.string_or_empty().size()));
        diagnostics_.push_back(
            error(configuration_rule, {&file_, at.offset(), length}, std::move(message), std::move(help)));
    }

    // In YAML 1.1 off is a boolean.
    static std::optional<Level> level_of(const Value& value) {
        if (value.is_boolean() && !value.boolean()) return Level::off;
        return value.is_string() ? level_named(value.string()) : std::nullopt;
    }

    void read_policy(const Text& text) {
        const auto* const known = std::find(std::begin(policy_names), std::end(policy_names), text.text);
        if (known != std::end(policy_names)) {
            result_.policies.push_back({*known, origin(text.offset)});
            return;
        }
        diagnostics_.push_back(error(configuration_rule, {&file_, text.offset, 1},
                                     fmt::format("there is no policy {}", go_quote(text.text)),
                                     fmt::format("the policies are {}", fmt::join(policy_names, ", "))));
    }

    void read_rules(const Value* rules, RuleSettings& settings) {
        if (!rules) return;
        for (const auto& [key, value] : rules->members()) {
            if (auto reason = reason_against(key.string(), result_.own_rules)) {
                add_error(key, std::move(reason->message), std::move(reason->help));
                continue;
            }
            const auto level = level_of(value);
            if (!level)
                add_error(value, value.is_string() ? wrong_level(value.string())
                                                   : fmt::format("a level must be {}, not {}",
                                                                 fmt::join(std::begin(level_names),
                                                                           std::end(level_names), ", "),
                                                                 describe(value.kind())));
            else
                settings.insert_or_assign(id_of(key.string(), result_.own_rules),
                                          Setting<Level>{*level, origin(key.offset())});
        }
    }

    // Levels of known rules, and rules of the project's own.
    void read_rule_list(const Value& rules) {
        for (const Value& item : rules.items()) {
            if (!item.is_object()) {
                add_error(item, fmt::format("a rule must be an object, not {}", describe(item.kind())),
                          "write {id: NAME, severity: LEVEL}, and cel and message for a rule of your own");
                continue;
            }
            read_rule(item);
        }
    }

    void read_rule(const Value& item) {
        const FieldReader fields(&file_, item, "a rule", diagnostics_);
        constexpr std::array<std::string_view, 5> known{"id", "severity", "cel", "sql", "message"};
        fields.refuse_all_but(known, configuration_rule);
        const Value* const id = fields.find("id");
        if (!id || !id->is_string())
            return add_error(id ? *id : Value::of_null(item.offset()), "a rule needs a name: \"id\"",
                             "write {id: NAME, severity: LEVEL}");
        const Value* const severity = fields.find("severity");
        const auto level = severity ? level_of(*severity) : std::nullopt;
        if (severity && !level) return add_error(*severity, wrong_level(severity->string_or_empty()));
        const Value* const cel = fields.find("cel");
        const Value* const sql = fields.find("sql");
        const Value* const message = fields.find("message");
        if (cel && sql)
            return add_error(*id, fmt::format("the rule {} has both cel and sql", id->string()),
                             "make two rules of it");
        if (sql) return read_own_rule(*id, level, "sql", sql, message);
        if (cel || message) return read_own_rule(*id, level, "cel", cel, message);
        if (auto reason = reason_against(id->string(), result_.own_rules))
            return add_error(*id, std::move(reason->message),
                             "a rule of your own needs cel or sql, and message. " + reason->help);
        if (!level) return add_error(*id, "a rule of opcat needs a level: \"severity\"");
        result_.rules.insert_or_assign(id_of(id->string(), result_.own_rules),
                                       Setting<Level>{*level, origin(id->offset())});
    }

    void read_own_rule(const Value& id, std::optional<Level> level, std::string_view language,
                       const Value* condition, const Value* message) {
        if (const std::string reason = reason_against_own_rule(id.string()); !reason.empty())
            return add_error(
                id, fmt::format("{} cannot be a rule of your own: {}", go_quote(id.string()), reason));
        if (!id_of(id.string(), result_.own_rules).empty())
            return add_error(id, fmt::format("the rule {} is defined twice", id.string()));
        if (!condition) return add_error(id, "a rule of your own needs \"cel\" or \"sql\", a condition");
        for (const auto& [name, value] : {std::pair(language, condition), {"message", message}}) {
            const std::string_view text = value ? value->string_or_empty() : std::string_view();
            if (text.empty() || text.size() > OwnRule::longest || (value && !value->is_string()))
                return add_error(value ? Value::of_null(value->offset()) : id,
                                 fmt::format("a rule of your own needs \"{}\", a text of at most {} bytes",
                                             name, OwnRule::longest));
        }
        if (result_.own_rules.size() == OwnRule::most)
            return add_error(id,
                             fmt::format("a configuration has at most {} rules of its own", OwnRule::most));
        OwnRule rule{.id = kept_rule_id(id.string()),
                     .message = std::string(message->string()),
                     .condition = std::string(condition->string()),
                     .program = {},
                     .origin = origin(id.offset())};
        if (language == "cel") {
            auto program = compile_condition(rule.condition);
            if (!program)
                return add_error(Value::of_null(condition->offset()),
                                 fmt::format("the condition of the rule {} is not valid CEL: {}", id.string(),
                                             on_one_line(program.error())),
                                 "the variable is blob, as in blob.schema == \"olm.bundle\"");
            rule.program = *std::move(program);
        }
        const Level set = level.value_or(Level::warning);
        result_.own_rules.push_back(std::move(rule));
        result_.rules.insert_or_assign(result_.own_rules.back().id, Setting<Level>{set, origin(id.offset())});
    }

    void read_registry(const Text& registry) {
        if (const std::string reason = reason_against_registry(registry.text); !reason.empty())
            add_error(Value::of(registry.text, registry.offset),
                      fmt::format("{} is not a registry: {}", go_quote(registry.text), reason),
                      "write a host, or the beginning of a name, such as quay.io/org");
        else
            result_.registries.emplace_back(registry.text);
    }

    void read_schema(const Text& schema) {
        const fs::path file = result_.directory / fs::path(schema.text);
        const std::string reason = reason_against_schema(file, result_.directory);
        if (reason.empty())
            result_.schemas.push_back({file, origin(schema.offset)});
        else
            add_error(Value::of(schema.text, schema.offset),
                      fmt::format("{} cannot be a schema: {}", go_quote(schema.text), reason),
                      "name files of CUE next to the configuration, or use --schema FILE");
    }

    void read_override(const Value& item) {
        if (!item.is_object()) {
            add_error(item, fmt::format("an override must be an object, not {}", describe(item.kind())),
                      "write {packages: [PATTERN], rules: {NAME: LEVEL}}");
            return;
        }
        const FieldReader fields(&file_, item, "an override", diagnostics_);
        constexpr std::array<std::string_view, 3> known{"packages", "paths", "rules"};
        fields.refuse_all_but(known, configuration_rule);
        RuleOverride result;
        for (const Text& text : fields.strings("packages", arena_)) {
            auto pattern = NamePattern::parse(text);
            if (!pattern) {
                add_error(Value::of(text.text, text.offset),
                          fmt::format("{} is not a pattern of names", go_quote(text.text)),
                          "write names, with * for any characters and ? for one");
                continue;
            }
            result.packages.emplace_back(text.text);
            result.package_patterns.push_back(*std::move(pattern));
        }
        std::string lines;
        for (const Text& text : fields.strings("paths", arena_)) {
            result.paths.emplace_back(text.text);
            lines += text.text;
            lines += '\n';
        }
        result.path_patterns = IgnoreRules::parse(lines);
        const Value* const rules = fields.object("rules");
        read_rules(rules, result.rules);
        if (!rules)
            add_error(Value::of_null(item.offset()), "an override needs \"rules\"",
                      "write \"rules: {NAME: LEVEL}\"");
        else if (result.packages.empty() && result.paths.empty())
            add_error(Value::of_null(item.offset()), "an override names neither packages nor paths",
                      "settings for all packages belong in \"rules\" of the configuration itself");
        result_.overrides.push_back(std::move(result));
    }

    void read_limits(const Value& limits) {
        const FieldReader fields(&file_, limits, "limits", diagnostics_);
        const std::array<std::pair<std::string_view, std::optional<Setting<uint64_t>>*>, 3> known{
            {{"fileSize", &result_.largest_file},
             {"unpackedSize", &result_.largest_image},
             {"iconSize", &result_.largest_icon}}};
        std::vector<std::string_view> names;
        for (const auto& [name, setting] : known) {
            names.push_back(name);
            const Value* const value = fields.find(name);
            if (!value) continue;
            if (const auto bytes = size_of(*value))
                setting->emplace(Setting<uint64_t>{*bytes, origin(value->offset())});
            else
                add_error(*value, fmt::format("{} must be a number of bytes", name),
                          "write a number, or one with a unit, as in 64KiB, 100MiB or 4GiB");
        }
        fields.refuse_all_but(names, configuration_rule);
    }

    static std::optional<uint64_t> size_of(const Value& value) {
        if (value.kind() == Value::Kind::integer && value.integer() > 0)
            return static_cast<uint64_t>(value.integer());
        const std::string_view text = value.string_or_empty();
        uint64_t number = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failed != std::errc() || number == 0) return std::nullopt;
        const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
        unsigned shift = 0;
        for (const std::string_view known : {"B", "KiB", "MiB", "GiB"}) {
            if (unit == known)
                return number > (UINT64_MAX >> shift) ? std::nullopt : std::optional(number << shift);
            shift += 10;
        }
        return std::nullopt;
    }

    const SourceFile& file_;
    Diagnostics& diagnostics_;
    Arena arena_;
    Configuration result_;
};

} // namespace

Configuration read_configuration(const SourceFile& file, const fs::path& directory,
                                 Diagnostics& diagnostics) {
    return ConfigurationReader(file, directory, diagnostics).read();
}

} // namespace opcat
