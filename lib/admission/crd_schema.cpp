// The schemas of CustomResourceDefinitions of v1, which must be structural.
#include "opcat/admission/admission.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/kube/crd.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>

namespace opcat::admission {
namespace {

using kube::Fields;

// The place of a schema: the API server has a message for each.
enum class Level : uint8_t { root, item, field };

constexpr std::array<std::string_view, 3> junctors = {"allOf", "anyOf", "oneOf"};
constexpr std::string_view preserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view embedded = "x-kubernetes-embedded-resource";
constexpr std::string_view int_or_string = "x-kubernetes-int-or-string";
constexpr std::string_view list_type = "x-kubernetes-list-type";
constexpr std::string_view map_keys = "x-kubernetes-list-map-keys";
constexpr std::string_view map_type = "x-kubernetes-map-type";
constexpr std::string_view rules_of_cel = "x-kubernetes-validations";

std::string child(const std::string& path, std::string_view name) {
    return fmt::format("{}.{}", path, name);
}

bool is_set(const Fields& schema, std::string_view field) {
    const Value value = schema.at(field).value();
    switch (value.kind()) {
    case Value::Kind::null:
        return false;
    case Value::Kind::boolean:
        return value.boolean();
    case Value::Kind::string:
        return !value.string().empty();
    case Value::Kind::array:
        return !value.items().empty();
    case Value::Kind::object:
        return field == "items" || !value.members().empty();
    default:
        return true;
    }
}

// "anyOf: [{type: integer}, {type: string}]", which goes with int-or-string.
bool is_int_or_string_choice(const Fields& schema) {
    const auto choices = schema.items("anyOf");
    const auto is_only = [](const Fields& one, std::string_view type) {
        return one.members().size() == 1 && one.text("type") == type;
    };
    return choices.size() == 2 && is_only(choices[0], "integer") && is_only(choices[1], "string");
}

// The rules for defaults within a schema.
struct Defaults {
    bool allowed = true;
    std::string_view reason;
};

class SchemaChecker {
public:
    explicit SchemaChecker(Refusals& out) : out_(out) {}

    void check_root(const Fields& schema, const std::string& path, bool has_status) {
        if (has_status) check_root_with_status(schema, path);
        if (schema.flag("nullable"))
            out_.forbidden(child(path, "nullable"), schema.at("nullable"),
                           "nullable cannot be true at the root");
        check(schema, path, Level::root, {}, false);
    }

private:
    // The schema of the status is taken out of it, so that only some fields may be next to it.
    void check_root_with_status(const Fields& schema, const std::string& path) {
        static const std::set<std::string_view> allowed{
            "description",      "type",      "format",           "title",        "maximum",
            "exclusiveMaximum", "minimum",   "exclusiveMinimum", "maxLength",    "minLength",
            "pattern",          "maxItems",  "minItems",         "uniqueItems",  "multipleOf",
            "required",         "items",     "properties",       "externalDocs", "example",
            preserve,           rules_of_cel};
        for (const Member& member : schema.members())
            if (!allowed.contains(member.key.string()) && is_set(schema, member.key.string())) {
                out_.add(path, Fields(member.key),
                         fmt::format(
                             "Invalid value: {}: only [Description Type Format Title Maximum "
                             "ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems "
                             "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
                             "XPreserveUnknownFields XValidations] fields are allowed at the root of the "
                             "schema if the status subresource is enabled",
                             member.key.string()));
                return;
            }
    }

    // A part of the schema that defines the structure.
    void check(const Fields& schema, const std::string& path, Level level, Defaults defaults,
               bool in_metadata) {
        check_fields(schema, path, defaults, in_metadata);
        check_structure(schema, path, level);
        check_lists(schema, path);
        check_default(schema, path);
        const bool has_metadata = level == Level::root || schema.flag(embedded);
        for (const Member& member : schema.members("properties")) {
            const std::string_view name = member.key.string();
            const bool is_metadata =
                has_metadata && (name == "metadata" || name == "kind" || name == "apiVersion");
            Defaults inner = defaults;
            if (is_metadata && level == Level::root)
                inner = {false, name == "metadata" ? "in top-level metadata"
                                : name == "kind"   ? "in top-level kind"
                                                   : "in top-level apiVersion"};
            check(Fields(member.value), entry(child(path, "properties"), name), Level::field, inner,
                  in_metadata || is_metadata);
        }
        if (const Fields items = schema.at("items"); items.value().is_object())
            check(items, child(path, "items"), Level::item, defaults, in_metadata);
        if (const Fields more = schema.at("additionalProperties"); more.value().is_object())
            check(more, child(path, "additionalProperties"), Level::field,
                  in_metadata ? Defaults{false, "inside additionalProperties applying to object metadata"}
                              : defaults,
                  in_metadata);
        for_each_junctor(schema, path,
                         [&](const Fields& inner, const std::string& where, bool is_first_of_all) {
                             const bool is_choice = schema.flag(int_or_string) &&
                                                    is_int_or_string_choice(is_first_of_all ? inner : schema);
                             if (is_choice && where.starts_with(path + ".anyOf")) return;
                             check_nested(inner, where, is_choice && is_first_of_all, in_metadata);
                             check_complete(inner, schema, path, where);
                         });
    }

    template <typename Use>
    static void for_each_junctor(const Fields& schema, const std::string& path, Use use) {
        for (const std::string_view junctor : junctors) {
            size_t index = 0;
            for (const Fields inner : schema.items(junctor)) {
                const bool is_first_of_all = junctor == "allOf" && index == 0;
                use(inner, item(child(path, junctor), index++), is_first_of_all);
            }
        }
        if (const Fields inner = schema.at("not")) use(inner, child(path, "not"), false);
    }

    // ---- OpenAPI

    void check_fields(const Fields& schema, const std::string& path, Defaults defaults, bool in_metadata) {
        const auto refuse = [&](std::string_view field, std::string_view why) {
            if (is_set(schema, field)) out_.forbidden(child(path, field), schema.at(field), why);
        };
        if (schema.text("type") == "null")
            out_.forbidden(child(path, "type"), schema.at("type"),
                           "type cannot be set to null, use nullable as an alternative");
        else
            out_.check_choice(child(path, "type"), schema.at("type"),
                              {"array", "boolean", "integer", "number", "object", "string"});
        if (schema.at("default") && !defaults.allowed)
            out_.forbidden(child(path, "default"), schema.at("default"),
                           fmt::format("must not be set {}", defaults.reason));
        refuse("id", "id is not supported");
        if (schema.at("additionalItems"))
            out_.forbidden(child(path, "additionalItems"), schema.at("additionalItems"),
                           "additionalItems is not supported");
        refuse("patternProperties", "patternProperties is not supported");
        refuse("definitions", "definitions is not supported");
        refuse("dependencies", "dependencies is not supported");
        refuse("$ref", "$ref is not supported");
        if (schema.at("items").value().is_array())
            out_.forbidden(child(path, "items"), schema.at("items"),
                           "items must be a schema object and not an array");
        refuse("uniqueItems",
               "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
        if (in_metadata) refuse(embedded, "must not be used inside of resource meta");
        if (const Fields more = schema.at("additionalProperties");
            more && is_set(schema, "properties") && !(more.value().is_boolean() && more.value().boolean()))
            out_.forbidden(child(path, "additionalProperties"), more,
                           "additionalProperties and properties are mutual exclusive");
        if (const Fields keeps = schema.at(preserve); keeps && !schema.flag(preserve))
            out_.invalid(child(path, preserve), keeps, "must be true or undefined");
        if (const std::string_view pattern = schema.text("pattern"); !pattern.empty())
            check_pattern(schema, path);
        check_cel_texts(schema, path);
    }

    void check_pattern(const Fields& schema, const std::string& path) {
        const std::string_view pattern = schema.text("pattern");
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(int64_t{1} << 20);
        const RE2 expression(re2::StringPiece(pattern.data(), pattern.size()), options);
        // An expression that is too large for RE2 here may not be so for the server.
        if (!expression.ok() && expression.error_code() != RE2::ErrorPatternTooLarge)
            out_.invalid(
                child(path, "pattern"), schema.at("pattern"),
                fmt::format("must be a valid regular expression, but isn't: {}", expression.error()));
    }

    // The rules themselves are not compiled.
    void check_cel_texts(const Fields& schema, const std::string& path) {
        size_t index = 0;
        for (const Fields rule : schema.items(rules_of_cel)) {
            const std::string where = item(child(path, rules_of_cel), index++);
            const std::string_view text = trim_white_space(rule.text("rule"));
            const std::string_view message = trim_white_space(rule.text("message"));
            const auto has_breaks = [](std::string_view s) { return s.find_first_of("\r\n") != s.npos; };
            if (text.empty())
                out_.required(where + ".rule", rule, "rule is not specified");
            else if (message.empty() && !rule.text("message").empty())
                out_.invalid(where + ".message", rule.at("message"), "must be non-empty if specified");
            else if (has_breaks(message))
                out_.invalid(where + ".message", rule.at("message"), "must not contain line breaks");
            else if (has_breaks(text) && message.empty())
                out_.required(where + ".message", rule,
                              "message must be specified if rule contains line breaks");
            out_.check_choice(
                where + ".reason", rule.at("reason"),
                {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"});
        }
    }

    void check_lists(const Fields& schema, const std::string& path) {
        const std::string_view type = schema.text("type");
        const auto need_type = [&](std::string_view extension, std::string_view wanted) {
            if (!schema.at(extension) || type == wanted) return;
            const std::string why = fmt::format("must be {} if {} is specified", wanted, extension);
            if (type.empty())
                out_.required(child(path, "type"), schema, why);
            else
                out_.invalid(child(path, "type"), schema.at("type"), why);
        };
        need_type(map_type, "object");
        need_type(list_type, "array");
        out_.check_choice(child(path, map_type), schema.at(map_type), {"atomic", "granular"});
        out_.check_choice(child(path, list_type), schema.at(list_type), {"atomic", "set", "map"});
        const std::string_view kind = schema.text(list_type);
        const Fields items = schema.at("items");
        const std::string items_path = child(path, "items");
        if (kind == "set" && type == "array") {
            const std::string why = "must be atomic as item of a list with x-kubernetes-list-type=set";
            if (items.text("type") == "array" && items.at(list_type) && items.text(list_type) != "atomic")
                out_.invalid(child(items_path, list_type), items.at(list_type), why);
            if (items.text("type") == "object" && items.text(map_type) != "atomic")
                out_.add(child(items_path, map_type), items, "Invalid value: null: " + why);
        }
        if ((kind == "set" || kind == "map") && items.flag("nullable"))
            out_.forbidden(child(items_path, "nullable"), items.at("nullable"),
                           fmt::format("cannot be nullable when x-kubernetes-list-type is {}", kind));
        if (const Fields keys = schema.at(map_keys); is_set(schema, map_keys) && kind != "map") {
            const std::string why = "must be map if x-kubernetes-list-map-keys is non-empty";
            if (schema.at(list_type))
                out_.invalid(child(path, list_type), schema.at(list_type), why);
            else
                out_.required(child(path, list_type), keys, why);
        }
        if (kind == "map") check_map_keys(schema, path);
    }

    void check_map_keys(const Fields& schema, const std::string& path) {
        const Fields items = schema.at("items");
        const std::string items_path = child(path, "items");
        if (!is_set(schema, map_keys))
            out_.required(child(path, map_keys), schema,
                          "must not be empty if x-kubernetes-list-type is map");
        if (!items)
            return out_.required(items_path, schema, "must have a schema if x-kubernetes-list-type is map");
        if (items.text("type") != "object") {
            out_.add(
                child(items_path, "type"), items,
                fmt::format(
                    "Invalid value: \"{}\": must be object if parent array's x-kubernetes-list-type is map",
                    items.text("type")));
            return;
        }
        const std::vector<std::string> required = items.strings("required");
        std::set<std::string> seen;
        for (const std::string& key : schema.strings(map_keys)) {
            const Fields property = items.at("properties", key);
            const std::string where = entry(child(items_path, "properties"), key);
            if (!property) {
                out_.invalid(child(path, map_keys), schema.at(map_keys),
                             "entries must all be names of item properties");
            } else {
                if (const std::string_view type = property.text("type"); type == "array" || type == "object")
                    out_.invalid(child(where, "type"), property.at("type"),
                                 "must be a scalar type if parent array's x-kubernetes-list-type is map");
                if (std::find(required.begin(), required.end(), key) == required.end() &&
                    !property.at("default"))
                    out_.required(
                        child(where, "default"), property,
                        "this property is in x-kubernetes-list-map-keys, so it must have a default or be "
                        "a required property");
                if (property.flag("nullable"))
                    out_.forbidden(
                        child(where, "nullable"), property.at("nullable"),
                        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
            }
            if (!seen.insert(key).second)
                out_.invalid(child(path, map_keys), schema.at(map_keys),
                             "must not contain duplicate entries");
        }
    }

    void check_default(const Fields& schema, const std::string& path) {
        const Fields value = schema.at("default");
        if (!value) return;
        const auto violations = kube::violations(value.value(), schema.value(), work_);
        if (!violations)
            throw Error("checking the defaults of a definition would take too many steps [limit]");
        for (const kube::SchemaViolation& violation : *violations)
            out_.invalid(child(path, "default"), value,
                         violation.path.empty() ? violation.what : violation.path + " " + violation.what);
    }

    // ---- structure

    void check_structure(const Fields& schema, const std::string& path, Level level) {
        const std::string_view type = schema.text("type");
        const bool is_embedded = schema.flag(embedded);
        if (type == "array" && !schema.at("items"))
            out_.required(child(path, "items"), schema, "must be specified");
        if (const Fields more = schema.at("additionalProperties"); more && level == Level::root)
            out_.forbidden(child(path, "additionalProperties"), more, "must not be used at the root");
        if (schema.flag(int_or_string))
            for (const std::string_view other : {preserve, embedded})
                if (schema.flag(other))
                    out_.invalid(child(path, other), schema.at(other),
                                 "must be false if x-kubernetes-int-or-string is true");
        if (is_embedded && type != "object") {
            const std::string why = "must be object if x-kubernetes-embedded-resource is true";
            if (type.empty())
                out_.required(child(path, "type"), schema, why);
            else
                out_.invalid(child(path, "type"), schema.at("type"), why);
        } else if (type.empty() && !schema.flag(int_or_string) && !schema.flag(preserve)) {
            out_.required(child(path, "type"), schema,
                          level == Level::root   ? "must not be empty at the root"
                          : level == Level::item ? "must not be empty for specified array items"
                                                 : "must not be empty for specified object fields");
        }
        if (is_embedded && schema.at("additionalProperties"))
            out_.forbidden(child(path, "additionalProperties"), schema.at("additionalProperties"),
                           "must not be used if x-kubernetes-embedded-resource is set");
        if (level == Level::root && !type.empty() && type != "object")
            out_.invalid(child(path, "type"), schema.at("type"), "must be object at the root");
        if (is_embedded && !schema.flag(preserve) && !is_set(schema, "properties"))
            out_.required(child(path, "properties"), schema,
                          "must not be empty if x-kubernetes-embedded-resource is true without "
                          "x-kubernetes-preserve-unknown-fields");
        if (level == Level::root || is_embedded) check_object_fields(schema, path, level);
    }

    // apiVersion, kind and metadata have the types that Kubernetes gives them.
    void check_object_fields(const Fields& schema, const std::string& path, Level level) {
        const auto check_type = [&](std::string_view name, std::string_view type) {
            const Fields property = schema.at("properties", name);
            if (!schema.at("properties").value().is_object() || !property.value().is_object() ||
                property.text("type") == type)
                return;
            out_.add(child(entry(child(path, "properties"), name), "type"), property,
                     fmt::format("Invalid value: \"{}\": must be {}", property.text("type"), type));
        };
        check_type("kind", "string");
        check_type("apiVersion", "string");
        check_type("metadata", "object");
        if (level != Level::root) return;
        const Fields metadata = schema.at("properties", "metadata");
        for (const Member& member : metadata.members()) {
            const std::string_view key = member.key.string();
            if (key == "type" || key == "default" || !is_set(metadata, key)) continue;
            if (key == "properties" && has_only_names(Fields(member.value))) continue;
            return out_.forbidden(
                entry(child(path, "properties"), "metadata"), Fields(member.key),
                "must not specify anything other than name and generateName, but metadata is "
                "implicitly specified");
        }
    }

    static bool has_only_names(const Fields& properties) {
        const auto members = properties.members();
        return std::all_of(members.begin(), members.end(), [](const Member& member) {
            return member.key.string() == "name" || member.key.string() == "generateName";
        });
    }

    // A schema below allOf, anyOf, oneOf or not: it may only restrict values.
    void check_nested(const Fields& schema, const std::string& path, bool is_choice, bool in_metadata) {
        check_fields(schema, path, {}, in_metadata);
        if (is_set(schema, "type"))
            out_.forbidden(child(path, "type"), schema.at("type"), "must be empty to be structural");
        struct Forbidden {
            std::string_view field, wanted;
        };
        static constexpr Forbidden forbidden[] = {
            {"additionalProperties", "undefined"},
            {"default", "undefined"},
            {"title", "empty"},
            {"description", "empty"},
            {"nullable", "false"},
            {preserve, "false"},
            {embedded, "false"},
            {int_or_string, "false"},
            {map_keys, "empty"},
            {list_type, "undefined"},
            {map_type, "undefined"},
            {rules_of_cel, "empty"},
        };
        for (const Forbidden& one : forbidden) {
            const bool found = one.wanted == "undefined" ? static_cast<bool>(schema.at(one.field))
                                                         : is_set(schema, one.field);
            if (found)
                out_.forbidden(child(path, one.field), schema.at(one.field),
                               fmt::format("must be {} to be structural", one.wanted));
        }
        if (schema.at("properties", "metadata"))
            out_.forbidden(entry(child(path, "properties"), "metadata"), schema.at("properties", "metadata"),
                           "must not be specified in a nested context");
        for (const Member& member : schema.members("properties"))
            check_nested(Fields(member.value), entry(child(path, "properties"), member.key.string()), false,
                         in_metadata);
        if (const Fields items = schema.at("items"); items.value().is_object())
            check_nested(items, child(path, "items"), false, in_metadata);
        for_each_junctor(schema, path, [&](const Fields& inner, const std::string& where, bool) {
            if (is_choice && where.starts_with(path + ".anyOf")) return;
            check_nested(inner, where, false, in_metadata);
        });
    }

    // Every part that a nested schema restricts must be in the structure.
    void check_complete(const Fields& nested, const Fields& structure, const std::string& path,
                        const std::string& nested_path) {
        const auto need = [&](const Fields& inner, const Fields& wanted, const std::string& where,
                              const std::string& inner_path) {
            if (wanted.value().is_object())
                check_complete(inner, wanted, where, inner_path);
            else
                out_.required(where, inner, fmt::format("because it is defined in {}", inner_path));
        };
        for (const Member& member : nested.members("properties")) {
            const std::string_view name = member.key.string();
            need(Fields(member.value), structure.at("properties", name),
                 entry(child(path, "properties"), name), entry(child(nested_path, "properties"), name));
        }
        if (const Fields items = nested.at("items"); items.value().is_object())
            need(items, structure.at("items"), child(path, "items"), child(nested_path, "items"));
        for_each_junctor(nested, nested_path, [&](const Fields& inner, const std::string& where, bool) {
            check_complete(inner, structure, path, where);
        });
    }

    Refusals& out_;
    Work work_;
};

} // namespace

std::vector<Refusal> schema_refusals(const Fields& crd) {
    Refusals out;
    const auto versions = crd.items("spec", "versions");
    // The API server keeps what is equal in all versions once, and names it there.
    const bool is_shared = std::all_of(versions.begin(), versions.end(), [&](const Value& version) {
        return kube::is_equal(Fields(version).at("schema").value(), Fields(versions[0]).at("schema").value());
    });
    size_t index = 0;
    for (const Fields version : versions) {
        const std::string of_version = item("spec.versions", index++);
        const Fields schema = version.at("schema", "openAPIV3Schema");
        if (!schema) {
            out.required(of_version + ".schema.openAPIV3Schema", version, "schemas are required");
            continue;
        }
        if (is_shared && index > 1) continue;
        SchemaChecker(out).check_root(
            schema, (is_shared ? "spec.validation" : of_version + ".schema") + ".openAPIV3Schema",
            static_cast<bool>(version.at("subresources", "status")));
    }
    for (const Fields version : versions)
        if (const Fields scale = version.at("subresources", "scale");
            scale && !scale.text("statusReplicasPath").starts_with(".status."))
            out.add("spec.subresources.scale.statusReplicasPath", scale,
                    scale.text("statusReplicasPath").empty()
                        ? std::string("Required value")
                        : fmt::format("Invalid value: \"{}\": should be a json path under .status",
                                      scale.text("statusReplicasPath")));
    return std::move(out).take();
}

} // namespace opcat::admission
