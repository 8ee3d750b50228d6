#include "opcat/resolve/v1/load_failure.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat::olmv1 {
namespace {

// Returns what is wrong with the fields that every blob has. The object's keys are sorted, each there once.
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
        return fmt::format("expected value for key {} to be a string, got {}: {}",
                           go_quote(member.key.string()), go::print_t(member.value),
                           go::print_v(member.value));
    }
    return {};
}

// The part of a message that Go's YAML decoder puts before what its JSON decoder says.
std::string_view decoding(Notation notation) {
    return notation == Notation::yaml ? "error unmarshaling JSON: while decoding JSON: " : "";
}

std::string typed_failure(const Value& object, const go::Type& type) {
    const std::string error = go::decode_error(object, type, go::Route::map);
    return error.empty() ? error : fmt::format("parse {}: {}", ascii_lower(type.struct_name()), error);
}

// Returns the failure of properties that hold manifests, which are decoded with their bundle.
std::string objects_failure(const Value& blob) {
    const Value* const properties = find_field(blob, "properties");
    if (!properties || !properties->is_array()) return {};
    for (size_t i = 0; i < properties->items().size(); ++i) {
        const Value& item = properties->items()[i];
        if (field_text(item, "type") != property_type::bundle_object) continue;
        const Value* const value = find_field(item, "value");
        const std::string error =
            value ? go::decode_error(*value, go::type_named("property.BundleObject"), go::Route::map)
                  : "unexpected end of JSON input";
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
                           decoding(notation), go::json_kind(document.kind()));
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
    if (const go::Type* const type = type_of_schema(schema_name)) {
        if (std::string failure = typed_failure(object, *type); !failure.empty()) return failure;
        if (schema_name == schema::bundle) return objects_failure(object);
    }
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
