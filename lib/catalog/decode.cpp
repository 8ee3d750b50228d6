#include "opcat/catalog/decode.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/syntax_cause.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

namespace opcat {
namespace {

// Two spellings of one key, at the top level of a blob.
bool has_one_spelling_each(const SourceFile& file, const Value& value, Diagnostics& diagnostics) {
    std::vector<std::pair<std::string, const Member*>> keys;
    keys.reserve(value.members().size());
    for (const Member& member : value.members()) keys.emplace_back(case_folded(member.key.string()), &member);
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    bool good = true;
    for (size_t i = 1; i < keys.size(); ++i) {
        const Value& first = keys[i - 1].second->key;
        const Value& second = keys[i].second->key;
        if (keys[i - 1].first != keys[i].first || first.string() == second.string()) continue;
        good = false;
        diagnostics.push_back(
            {.rule = "key-spelling",
             .message =
                 fmt::format("{} and {} are two spellings of one key", first.string(), second.string()),
             .where = {&file, second.offset(), static_cast<uint32_t>(second.string().size())},
             .notes = {{fmt::format("the first spelling, {},", first.string()), {&file, first.offset(), 0}}},
             .help = "the keys of a blob are case-insensitive: keep one of them"});
    }
    return good;
}

// If present, schema, package and name must be strings, not even null.
Text meta_string(const SourceFile& file, const Value& value, std::string_view field,
                 Diagnostics& diagnostics) {
    const FieldReader reader(&file, value, "a blob", diagnostics);
    const Value* const found = reader.find(field);
    if (found && found->is_null())
        reader.error("field-type", found->offset(),
                     fmt::format("{} of a blob must be a string, not null", field),
                     "give it a value, or leave it out");
    return reader.string(field);
}

Diagnostic not_a_blob(const SourceFile& file, const Value& value) {
    Diagnostic problem =
        error("not-a-blob", {&file, value.offset(), 1},
              fmt::format("a blob must be an object, not {}", describe(value.kind())),
              "if this file is not part of the catalog, list it in an .indexignore file next to it");
    if (value.is_string()) {
        // A text of YAML is a whole document; JSON has any number of strings in one.
        const bool json = file.bytes()[value.offset()] == '"';
        const size_t end = json ? value.offset() : document_of(file.bytes(), value.offset()).end;
        explain_syntax_problem(value.offset(), static_cast<uint32_t>(end), problem);
    }
    return problem;
}

// Returns a help text for a text that is not base64.
std::string why_not_base64(std::string_view text) {
    if (ascii_lower(text.substr(0, 5)) == "data:")
        return "this is a data URL: keep only what follows \"base64,\"";
    if (text.find('<') != text.npos) return "this is the image itself: encode it, as with `base64 -w0 FILE`";
    if (ascii_lower(text.substr(0, 4)) == "http")
        return "this is the address of an image: write its content, as with `base64 -w0 FILE`";
    if (text.find_first_of(" \t") != text.npos) return "remove the blanks";
    if (text.find_first_of("-_") != text.npos) return "write + and / for - and _";
    if (text.size() % 4 != 0) return "its end is missing, or the \"=\" there";
    return "encode the image, as with `base64 -w0 FILE`, or `opcat init --icon FILE`";
}

class Decoder {
public:
    Decoder(const SourceFile& file, const Value& value, Arena& arena, Diagnostics& diagnostics)
        : file_(file), value_(value), arena_(arena), diagnostics_(diagnostics) {}

    template <class AnyBlob>
    void fill(AnyBlob& blob) const {
        blob.file = &file_;
        blob.value = value_;
        decode(blob, FieldReader(&file_, value_, Members<AnyBlob>::type.title, diagnostics_));
        if constexpr (std::is_same_v<AnyBlob, Bundle>) check_objects(blob);
    }

private:
    template <class Object>
    void decode(Object& object, const FieldReader& reader) const {
        if constexpr (requires { object.offset; }) object.offset = reader.offset();
        for_each_member<Object>([&](const go::Field& field, auto member) {
            if constexpr (std::is_member_pointer_v<decltype(member)>)
                take(object.*member, field, reader);
            else
                take(object, member, field, reader);
        });
    }

    // One for each kind of member (members.hpp).
    void take(Text& text, const go::Field& field, const FieldReader& reader) const {
        text = reader.string(field.name);
    }
    void take(std::string_view& text, const go::Field& field, const FieldReader& reader) const {
        text = reader.string(field.name);
    }
    void take(const Value*& value, const go::Field& field, const FieldReader& reader) const {
        value = reader.find(field.name);
    }
    void take(std::span<const Text>& texts, const go::Field& field, const FieldReader& reader) const {
        texts = reader.strings(field.name, arena_);
    }
    template <class Item>
    void take(std::span<const Item>& items, const go::Field& field, const FieldReader& reader) const {
        items = reader.objects<Item>(field.name, field.type->element->title, arena_,
                                     [this](const FieldReader& of_item, const Value&) {
                                         Item item;
                                         decode(item, of_item);
                                         return item;
                                     });
    }
    template <class Part>
    void take(std::optional<Part>& part, const go::Field& field, const FieldReader& reader) const {
        if (const Value* const value = reader.object(field.name))
            decode(part.emplace(), FieldReader(&file_, *value, field.type->title, diagnostics_));
    }
    void take(std::optional<std::string_view>& base64, const go::Field& field,
              const FieldReader& reader) const {
        const Value* const data = reader.find(field.name);
        if (!data || data->is_null()) return;
        const auto text = base64_in(reader, field.name);
        if (!text)
            reader.error("base64", data->offset(), fmt::format("{} of the icon is not base64", field.name),
                         data->is_string() ? why_not_base64(data->string()) : std::string());
        else if (is_canonical_base64(*text))
            base64 = text->text;
        else
            base64 = arena_.copy(encode_base64(*decode_base64(*text)));
    }
    template <class Object>
    void take(Object&, SchemaName, const go::Field&, const FieldReader&) const {}
    template <class Object, class Item>
    void take(Object& object, const NullableList<Object, Item>& list, const go::Field& field,
              const FieldReader& reader) const {
        const Value* const value = reader.find(field.name);
        object.*list.is_there = value && !value->is_null();
        take(object.*list.items, field, reader);
    }
    template <class Object, class Base>
    void take(Object& object, Inherited<Base>, const go::Field& field, const FieldReader& reader) const {
        const Value* const value = reader.object(field.name);
        decode(static_cast<Base&>(object),
               FieldReader(&file_, value ? *value : Value::of_null(reader.offset()), field.type->title,
                           diagnostics_));
    }

    // Bytes may be a list of numbers, too.
    std::optional<Text> base64_in(const FieldReader& reader, std::string_view field) const {
        const Value* const value = reader.find(field);
        if (!value || !value->is_array()) {
            const Text text = reader.string(field);
            return is_base64(text) ? std::optional(text) : std::nullopt;
        }
        const auto bytes = go_bytes(*value);
        return bytes ? std::optional(Text{arena_.copy(encode_base64(*bytes)), value->offset()})
                     : std::nullopt;
    }

    // opm decodes the objects of olm.bundle.object properties while it loads.
    void check_objects(const Bundle& bundle) const {
        for (const Property& property : bundle.properties) {
            if (property.type != property_type::bundle_object) continue;
            const Value nothing = Value::of_null(property.offset);
            const Value& value = property.value ? *property.value : nothing;
            const FieldReader reader(&file_, value, "olm.bundle.object", diagnostics_);
            if (!value.is_object()) {
                if (!property.value || !value.is_null())
                    reader.error(
                        "bundle-object", value.offset(),
                        fmt::format("the value of an olm.bundle.object property must be an object, not {}",
                                    property.value ? describe(value.kind()) : "missing"));
                continue;
            }
            const auto data = base64_in(reader, "data");
            if (!data)
                reader.error("base64", reader.find("data")->offset(),
                             "data of olm.bundle.object is not base64",
                             "encode the manifest with base64, without blanks");
            else if (const auto problem = problem_with_manifest(*data))
                reader.error("bundle-object", data->offset,
                             fmt::format("data of olm.bundle.object is not a manifest: {}", *problem),
                             "it must be JSON or YAML before it is encoded");
        }
    }

    static std::optional<std::string> problem_with_manifest(std::string_view base64) {
        // Nearly all are recognised by their first group of digits.
        if (const auto start = decode_base64(base64.substr(0, 4)); start && begins_with_brace(*start))
            return std::nullopt;
        return manifest_problem(*decode_base64(base64));
    }

    const SourceFile& file_;
    const Value& value_;
    Arena& arena_;
    Diagnostics& diagnostics_;
};

} // namespace

void decode_blob(const SourceFile& file, const Value& value, Arena& arena, Catalog& catalog,
                 Diagnostics& diagnostics, Decoding decoding) {
    const size_t findings_before = diagnostics.added();
    const Location start{&file, value.offset(), 1};
    if (value.is_null()) {
        const bool comment = file.bytes().substr(value.offset()).starts_with('#');
        diagnostics.push_back(error("schema-missing", start,
                                    comment ? "a document with nothing but comments has no schema"
                                            : "an empty document has no schema",
                                    comment ? "move the comment below the line \"---\" that ends the document"
                                            : "remove it: every document must be a blob"));
        return;
    }
    if (!value.is_object()) {
        diagnostics.push_back(not_a_blob(file, value));
        return;
    }
    if (!has_one_spelling_each(file, value, diagnostics)) return;
    const Text schema_name = meta_string(file, value, "schema", diagnostics);
    const Text package_name = meta_string(file, value, "package", diagnostics);
    const Text name = meta_string(file, value, "name", diagnostics);
    if (diagnostics.added() != findings_before) return;
    if (decoding == Decoding::names_only) {
        catalog.others.push_back({{&file, value, name, package_name}, schema_name});
        return;
    }
    if (schema_name.empty()) {
        diagnostics.push_back(error("schema-missing", start, "a blob needs a schema",
                                    "add \"schema: olm.package\", \"olm.channel\", \"olm.bundle\" or "
                                    "another; a file that is not a catalog belongs into .indexignore"));
        return;
    }

    const Decoder decoder(file, value, arena, diagnostics);
    bool is_known = false;
    for_each_schema(catalog, [&]<class AnyBlob>(std::vector<AnyBlob>& blobs, const go::Type& type) {
        if (type.title != schema_name) return;
        is_known = true;
        AnyBlob blob;
        decoder.fill(blob);
        if (diagnostics.added() == findings_before) blobs.push_back(std::move(blob));
    });
    if (!is_known) catalog.others.push_back({{&file, value, name, package_name}, schema_name});
}

} // namespace opcat
