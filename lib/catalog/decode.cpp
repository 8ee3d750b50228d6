#include "opcat/catalog/decode.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/syntax_cause.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

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
    if (value.is_string())
        explain_syntax_problem(value.offset(),
                               static_cast<uint32_t>(document_of(file.bytes(), value.offset()).end), problem);
    return problem;
}

// What to do about a text that is not base64.
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

    void fill(Package& package) const {
        const FieldReader reader = fields("olm.package", package);
        package.default_channel = reader.string("defaultChannel");
        package.description = reader.string("description");
        package.properties = properties(reader);
        if (const Value* const icon = reader.object("icon"))
            package.icon = decode_icon(FieldReader(&file_, *icon, "icon", diagnostics_));
    }

    void fill(Channel& channel) const {
        const FieldReader reader = fields("olm.channel", channel);
        channel.has_entries = has_value(reader, "entries");
        channel.entries = reader.objects<ChannelEntry>(
            "entries", "a channel entry", arena_, [this](const FieldReader& entry, const Value& item) {
                return ChannelEntry{entry.string("name"), entry.string("replaces"),
                                    entry.strings("skips", arena_), entry.string("skipRange"), item.offset()};
            });
        channel.properties = properties(reader);
    }

    void fill(Bundle& bundle) const {
        const FieldReader reader = fields("olm.bundle", bundle);
        bundle.image = reader.string("image");
        bundle.properties = properties(reader);
        bundle.related_images = reader.objects<RelatedImage>(
            "relatedImages", "a related image", arena_, [](const FieldReader& image, const Value&) {
                return RelatedImage{image.string("name"), image.string("image")};
            });
        check_objects(bundle);
    }

    void fill(Deprecations& deprecations) const {
        const FieldReader reader = fields("olm.deprecations", deprecations);
        deprecations.has_entries = has_value(reader, "entries");
        deprecations.entries = reader.objects<DeprecationEntry>(
            "entries", "a deprecation entry", arena_, [this](const FieldReader& entry, const Value& item) {
                const Value* const reference = entry.object("reference");
                const FieldReader referred(&file_, reference ? *reference : Value::of_null(item.offset()),
                                           "a reference", diagnostics_);
                return DeprecationEntry{referred.string("schema"), referred.string("name"),
                                        entry.string("message"), item.offset()};
            });
    }

private:
    FieldReader fields(std::string_view what, Blob& blob) const {
        const FieldReader reader(&file_, value_, what, diagnostics_);
        blob.file = &file_;
        blob.value = value_;
        blob.name = reader.string("name");
        blob.package = reader.string("package");
        return reader;
    }

    static bool has_value(const FieldReader& reader, std::string_view field) {
        const Value* const value = reader.find(field);
        return value && !value->is_null();
    }

    std::span<const Property> properties(const FieldReader& reader) const {
        return reader.objects<Property>(
            "properties", "a property", arena_, [](const FieldReader& property, const Value& item) {
                return Property{property.string("type"), property.find("value"), item.offset(), {}};
            });
    }

    Icon decode_icon(const FieldReader& reader) const {
        Icon icon;
        icon.media_type = reader.string("mediatype");
        const Value* const data = reader.find("base64data");
        if (!data || data->is_null()) return icon;
        const auto text = base64_in(reader, "base64data");
        if (!text)
            reader.error("base64", data->offset(), "base64data of the icon is not base64",
                         data->is_string() ? why_not_base64(data->string()) : std::string());
        else if (is_canonical_base64(*text))
            icon.base64 = text->text;
        else
            icon.base64 = arena_.copy(encode_base64(*decode_base64(*text)));
        return icon;
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
    const auto add = [&](auto& blobs, auto blob) {
        decoder.fill(blob);
        if (diagnostics.added() == findings_before) blobs.push_back(std::move(blob));
    };
    if (schema_name == schema::package)
        add(catalog.packages, Package{});
    else if (schema_name == schema::channel)
        add(catalog.channels, Channel{});
    else if (schema_name == schema::bundle)
        add(catalog.bundles, Bundle{});
    else if (schema_name == schema::deprecations)
        add(catalog.deprecations, Deprecations{});
    else
        catalog.others.push_back({{&file, value, name, package_name}, schema_name});
}

} // namespace opcat
