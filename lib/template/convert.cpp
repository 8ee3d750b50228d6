#include "opcat/base/error.hpp"
#include "opcat/catalog/decode.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/yaml_writer.hpp"
#include "opcat/template/template.hpp"

#include <cassert>

namespace opcat {
namespace {

Value object(std::initializer_list<Member> members, Arena& arena) {
    return Value::of(
        std::span<const Member>(arena.copy(std::span<const Member>(members.begin(), members.size()))));
}

// The blob as an entry; nothing if it is none.
std::optional<Value> to_entry(const SourceFile& file, const Value& value, TemplateKind kind, Arena& arena,
                              Diagnostics& diagnostics) {
    const size_t before = diagnostics.size();
    Catalog catalog;
    decode_blob(file, value, arena, catalog, diagnostics);
    if (diagnostics.size() != before) return std::nullopt;
    if (kind == TemplateKind::substitutes || catalog.bundles.empty()) return normalised(value, arena);
    return object({{Value::of("schema"), Value::of(schema::bundle)},
                   {Value::of("image"), Value::of(catalog.bundles.front().image.text)}},
                  arena);
}

std::string write(const Value& value, Format format) {
    std::string text;
    if (format == Format::json) {
        append_json(text, value);
        escape_html(text); // unlike catalogs
        return text;
    }
    text = "---\n";
    if (append_yaml(text, value))
        throw UnwritableYaml(
            "cannot write the template as YAML: a string has a control character or is a key "
            "of more than 1024 characters");
    return text + "\n";
}

} // namespace

ConvertedTemplate convert_to_template(const SourceFile& file, TemplateKind kind, Format format) {
    assert(kind != TemplateKind::semver);
    ConvertedTemplate result;
    Arena arena;
    std::vector<Value> entries;
    for (const DocumentRange& range : split_into_documents(file, result.diagnostics)) {
        Diagnostic problem;
        const auto value = read_document(file, range, arena, problem);
        if (!value) {
            result.diagnostics.push_back(problem);
            continue;
        }
        if (const auto entry = to_entry(file, *value, kind, arena, result.diagnostics))
            entries.push_back(*entry);
    }
    if (!result.diagnostics.empty()) return result;
    const Value list = entries.empty() ? Value::of_null() : Value::of(std::span<const Value>(entries));
    const Member schema{Value::of("schema"), Value::of(schema_of(kind))};
    const Member entry_list{Value::of("entries"), list};
    const Member substitutions{Value::of("substitutions"), Value::of(std::span<const Value>())};
    const Value root = kind == TemplateKind::substitutes ? object({schema, entry_list, substitutions}, arena)
                                                         : object({schema, entry_list}, arena);
    result.text = write(root, format);
    return result;
}

} // namespace opcat
