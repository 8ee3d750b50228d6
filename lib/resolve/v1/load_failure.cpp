#include "resolve/v1/load_failure.hpp"

#include "base/base64.hpp"
#include "base/go_quote.hpp"
#include "base/unicode.hpp"
#include "catalog/catalog.hpp"
#include "catalog/field_reader.hpp"
#include "document/go_bytes.hpp"
#include "document/go_keys.hpp"
#include "document/json_writer.hpp"
#include "document/normalise.hpp"
#include "document/number.hpp"
#include "document/stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace opcat::olmv1 {
namespace {

// The Go structs that blobs are decoded into, as far as decoding can fail.
struct GoStruct;
struct GoField {
    enum class Kind : uint8_t { string, bytes, strings, object, objects };
    std::string_view name;
    Kind kind = Kind::string;
    const GoStruct* type = nullptr; // of an object, or of the items of a list
};
struct GoStruct {
    std::string_view name; // "Channel"
    std::string_view type; // "declcfg.Channel"
    std::span<const GoField> fields;
};

using Kind = GoField::Kind;
constexpr std::array property_fields = {GoField{"type"}};
constexpr GoStruct property{"Property", "property.Property", property_fields};
constexpr std::array icon_fields = {GoField{"base64data", Kind::bytes}, GoField{"mediatype"}};
constexpr GoStruct icon{"Icon", "declcfg.Icon", icon_fields};
constexpr std::array package_fields = {GoField{"defaultChannel"}, GoField{"description"},
                                       GoField{"icon", Kind::object, &icon},
                                       GoField{"properties", Kind::objects, &property}};
constexpr GoStruct package{"Package", "declcfg.Package", package_fields};
constexpr std::array entry_fields = {GoField{"name"}, GoField{"replaces"}, GoField{"skipRange"},
                                     GoField{"skips", Kind::strings}};
constexpr GoStruct entry{"ChannelEntry", "declcfg.ChannelEntry", entry_fields};
constexpr std::array channel_fields = {GoField{"entries", Kind::objects, &entry},
                                       GoField{"properties", Kind::objects, &property}};
constexpr GoStruct channel{"Channel", "declcfg.Channel", channel_fields};
constexpr std::array image_fields = {GoField{"image"}, GoField{"name"}};
constexpr GoStruct related_image{"RelatedImage", "declcfg.RelatedImage", image_fields};
constexpr std::array bundle_fields = {GoField{"image"}, GoField{"properties", Kind::objects, &property},
                                      GoField{"relatedImages", Kind::objects, &related_image}};
constexpr GoStruct bundle{"Bundle", "declcfg.Bundle", bundle_fields};
constexpr std::array bundle_object_fields = {GoField{"data", Kind::bytes}};
constexpr GoStruct bundle_object{"BundleObject", "property.BundleObject", bundle_object_fields};
constexpr std::array reference_fields = {GoField{"name"}, GoField{"schema"}};
constexpr GoStruct reference{"PackageScopedReference", "declcfg.PackageScopedReference", reference_fields};
constexpr std::array deprecation_entry_fields = {GoField{"message"},
                                                 GoField{"reference", Kind::object, &reference}};
constexpr GoStruct deprecation_entry{"DeprecationEntry", "declcfg.DeprecationEntry",
                                     deprecation_entry_fields};
constexpr std::array deprecation_fields = {GoField{"entries", Kind::objects, &deprecation_entry}};
constexpr GoStruct deprecation{"Deprecation", "declcfg.Deprecation", deprecation_fields};

std::string_view json_kind(const Value& value) {
    if (value.is_boolean()) return "bool";
    if (value.is_string()) return "string";
    if (value.is_array()) return "array";
    return value.is_object() ? "object" : "number";
}

// Walks a blob as encoding/json does and finds the first value of a wrong type.
class TypeCheck {
public:
    std::string check(const Value& object, const GoStruct& type) {
        for (const Member& member : object.members()) {
            const auto field = std::find_if(type.fields.begin(), type.fields.end(), [&](const GoField& f) {
                return means_field(member.key.string(), f.name);
            });
            if (field == type.fields.end() || member.value.is_null()) continue;
            path_.push_back(field->name);
            std::string error = check(member.value, *field, type);
            path_.pop_back();
            if (!error.empty()) return error;
        }
        return {};
    }

private:
    std::string check(const Value& value, const GoField& field, const GoStruct& in) {
        switch (field.kind) {
        case Kind::string:
            return value.is_string() ? std::string() : wrong(value, in, "string");
        case Kind::bytes:
            return check_bytes(value, in);
        case Kind::strings:
            if (!value.is_array()) return wrong(value, in, "[]string");
            for (const Value& item : value.items())
                if (!item.is_string() && !item.is_null()) return wrong(item, in, "string");
            return {};
        case Kind::object:
            return value.is_object() ? check(value, *field.type) : wrong(value, in, field.type->type);
        case Kind::objects:
            if (!value.is_array()) return wrong(value, in, fmt::format("[]{}", field.type->type));
            for (const Value& item : value.items()) {
                if (item.is_null()) continue;
                std::string error =
                    item.is_object() ? check(item, *field.type) : wrong(item, in, field.type->type);
                if (!error.empty()) return error;
            }
            return {};
        }
        return {};
    }

    std::string check_bytes(const Value& value, const GoStruct& in) {
        if (value.is_string())
            return is_base64(value.string()) ? std::string()
                                             : fmt::format("illegal base64 data at input byte {}",
                                                           base64_corrupt_at(value.string()));
        if (!value.is_array()) return wrong(value, in, "[]uint8");
        for (const Value& item : value.items())
            if (!go_bytes(Value::of(std::span(&item, 1)))) return wrong(item, in, "uint8");
        return {};
    }

    std::string wrong(const Value& value, const GoStruct& in, std::string_view wanted) const {
        return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                           json_kind(value), in.name, fmt::join(path_, "."), wanted);
    }

    std::vector<std::string_view> path_;
};

// A value as Go's fmt prints it with %v, and with %t, which is for booleans only.
void append_v(std::string& out, const Value& value) {
    switch (value.kind()) {
    case Value::Kind::null:
        out += "<nil>";
        break;
    case Value::Kind::boolean:
        out += value.boolean() ? "true" : "false";
        break;
    case Value::Kind::string:
        out += value.string();
        break;
    case Value::Kind::array:
        out += '[';
        for (const Value& item : value.items()) {
            if (&item != value.items().data()) out += ' ';
            append_v(out, item);
        }
        out += ']';
        break;
    case Value::Kind::object:
        out += "map[";
        for (const Member& member : value.members()) {
            if (&member != value.members().data()) out += ' ';
            out += member.key.string();
            out += ':';
            append_v(out, member.value);
        }
        out += ']';
        break;
    default:
        append_g_real(out, value.number());
    }
}

void append_t(std::string& out, const Value& value) {
    switch (value.kind()) {
    case Value::Kind::null:
        out += "%!t(<nil>)";
        break;
    case Value::Kind::boolean:
        append_v(out, value);
        break;
    case Value::Kind::string:
        out += fmt::format("%!t(string={})", value.string());
        break;
    case Value::Kind::array:
        out += '[';
        for (const Value& item : value.items()) {
            if (&item != value.items().data()) out += ' ';
            if (item.is_null())
                out += "<nil>";
            else
                append_t(out, item);
        }
        out += ']';
        break;
    case Value::Kind::object:
        out += "map[";
        for (const Member& member : value.members()) {
            if (&member != value.members().data()) out += ' ';
            out += fmt::format("%!t(string={}):", member.key.string());
            if (member.value.is_null())
                out += "<nil>";
            else
                append_t(out, member.value);
        }
        out += ']';
        break;
    default:
        out += "%!t(float64=";
        append_v(out, value);
        out += ')';
    }
}

// What is wrong with the fields that every blob has. The object's keys are sorted, each there once.
std::string meta_failure(const Value& object) {
    std::map<std::string, std::vector<const Member*>> spellings;
    for (const Member& member : object.members())
        spellings[case_folded(member.key.string())].push_back(&member);
    std::vector<std::string> duplicates;
    for (const auto& [key, members] : spellings) {
        if (members.size() < 2) continue;
        std::vector<std::string_view> keys;
        for (const Member* member : members) keys.push_back(member->key.string());
        duplicates.push_back(
            fmt::format("duplicate keys for key {}: [{}]", go_quote(key), fmt::join(keys, " ")));
    }
    if (duplicates.size() == 1) return duplicates[0];
    if (!duplicates.empty()) return fmt::format("[{}]", fmt::join(duplicates, ", "));
    for (const std::string_view field : {"schema", "package", "name"}) {
        const auto found = spellings.find(std::string(field));
        if (found == spellings.end()) continue;
        const Member& member = *found->second[0];
        if (member.value.is_string()) continue;
        std::string text =
            fmt::format("expected value for key {} to be a string, got ", go_quote(member.key.string()));
        append_t(text, member.value);
        text += ": ";
        append_v(text, member.value);
        return text;
    }
    return {};
}

// The part of a message that Go's YAML decoder puts before what its JSON decoder says.
std::string_view decoding(Notation notation) {
    return notation == Notation::yaml ? "error unmarshaling JSON: while decoding JSON: " : "";
}

std::string typed_failure(const Value& object, std::string_view what, const GoStruct& type) {
    const std::string error = TypeCheck().check(object, type);
    return error.empty() ? error : fmt::format("parse {}: {}", what, error);
}

// Of the properties that hold manifests, which are decoded with their bundle.
std::string objects_failure(const Value& blob) {
    const Value* const properties = find_field(blob, "properties");
    if (!properties || !properties->is_array()) return {};
    for (size_t i = 0; i < properties->items().size(); ++i) {
        const Value& item = properties->items()[i];
        if (field_text(item, "type") != property_type::bundle_object) continue;
        const Value* const value = find_field(item, "value");
        std::string error;
        if (!value)
            error = "unexpected end of JSON input";
        else if (value->is_object())
            error = TypeCheck().check(*value, bundle_object);
        else if (!value->is_null())
            error = fmt::format("json: cannot unmarshal {} into Go value of type {}", json_kind(*value),
                                bundle_object.type);
        if (!error.empty())
            return fmt::format(
                "read bundle objects: package {}, bundle {}: parse property at index {} as bundle object: {}",
                go_quote(field_text(blob, "package")), go_quote(field_text(blob, "name")), i, error);
    }
    return {};
}

// The error about one document; empty if OLM accepts it.
std::string document_failure(const Value& document, Notation notation) {
    if (document.is_null())
        return fmt::format("object '{}' is missing root schema field",
                           notation == Notation::json ? "null\n" : "");
    if (!document.is_object())
        return fmt::format("{}json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                           decoding(notation), json_kind(document));
    Arena arena;
    const Value object = normalised(document, arena);
    if (const std::string failure = meta_failure(object); !failure.empty())
        return fmt::format("{}{}", decoding(notation), failure);
    const std::string_view schema_name = field_text(object, "schema");
    if (schema_name.empty()) {
        std::string text;
        append_compact_json(text, object);
        return fmt::format("object '{}\n' is missing root schema field", text);
    }
    if (schema_name == schema::package) return typed_failure(object, "package", package);
    if (schema_name == schema::channel) return typed_failure(object, "channel", channel);
    if (schema_name == schema::bundle) {
        const std::string failure = typed_failure(object, "bundle", bundle);
        return failure.empty() ? objects_failure(object) : failure;
    }
    if (schema_name == schema::deprecations) return typed_failure(object, "deprecation", deprecation);
    return {};
}

std::string failure_in(const SourceFile& file) {
    Diagnostics problems;
    Arena arena;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Diagnostic problem;
        const auto value = read_document(file, range, arena, problem);
        if (!value)
            return range.notation == Notation::yaml
                       ? "error converting YAML to JSON: yaml: " + problem.message
                       : problem.message;
        if (std::string failure = document_failure(*value, range.notation); !failure.empty()) return failure;
    }
    return {};
}

} // namespace

std::string load_failure(const Diagnostics& findings) {
    std::set<const SourceFile*> seen;
    for (const Diagnostic& finding : findings) {
        if (!finding.where || !seen.insert(finding.where.file).second) continue;
        if (std::string failure = failure_in(*finding.where.file); !failure.empty()) return failure;
    }
    const auto first = std::find_if(findings.begin(), findings.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::error; });
    return first == findings.end() ? std::string() : first->message;
}

} // namespace opcat::olmv1
