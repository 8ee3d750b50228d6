#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/syntax_cause.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/lint/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace opcat {
namespace {

std::string_view name_of_object(const go::Type& type) {
    return type.title.empty() ? type.name : type.title;
}

// With characters that nobody can see as escapes.
std::string visible(std::string_view key) {
    std::string text;
    while (const auto deceptive = find_deceptive_character(key)) {
        text += key.substr(0, deceptive->at);
        text += fmt::format("\\u{:04x}",
                            static_cast<uint32_t>(decode_utf8(key.substr(deceptive->at, deceptive->length))));
        key.remove_prefix(deceptive->at + deceptive->length);
    }
    return text + std::string(key);
}

// Returns the fields that a wrong key may be meant to be: those that the object does not have already.
std::vector<std::string_view> missing_fields(const Value& object, const go::Type& type) {
    std::vector<std::string_view> names;
    for (const go::Field& field : type.fields)
        if (!object.find(field.name)) names.push_back(field.name);
    return names;
}

// Names that other formats have for the same.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"mimetype", "mediatype"},     {"contenttype", "mediatype"}, {"data", "base64data"},
    {"default", "defaultChannel"}, {"pullspec", "image"},        {"bundle", "image"},
    {"range", "versionRange"}};

std::string suggestion(std::string_view key, std::span<const std::string_view> fields) {
    for (const auto& [other, name] : other_names)
        if (ascii_lower(key) == other && std::ranges::find(fields, name) != fields.end())
            return did_you_mean(std::span(&name, 1));
    std::string near = did_you_mean(key, fields);
    // "entry" for "entries".
    if (near.empty() && key.ends_with('y')) near = did_you_mean(key.substr(0, key.size() - 1), fields);
    return near;
}

std::string help_for(std::string_view key, std::span<const std::string_view> fields) {
    if (const auto deceptive = find_deceptive_character(key))
        return fmt::format("the key contains a {}: {}", deceptive->name, deceptive->help);
    const std::string near = suggestion(key, fields);
    return near.empty() ? "nothing reads it, and rendering drops it: remove it" : near;
}

// A field that only upgrades depend on: without it, all blobs still find each other.
bool is_edge(std::string_view field) {
    return field == "replaces" || field == "skips" || field == "skipRange";
}

// The key without a value to which an unknown key almost certainly belongs: of an object of which its value
// would be a part ("value:" of a property, then "packageName:" with the same indentation).
const Member* empty_parent(const Value& object, const Value& key, const go::Type& type) {
    const Member* parent = nullptr;
    for (const Member& member : object.members()) {
        if (member.key.offset() >= key.offset()) break;
        if (member.value.is_null()) parent = &member;
    }
    if (!parent) return nullptr;
    const Value* const property = object.find("type");
    const go::Type* inner =
        property && parent->key.string() == "value" ? type_of_value(property->string_or_empty()) : nullptr;
    for (const go::Field& field : type.fields)
        if (!inner && parent->key.string() == field.name) inner = field.type;
    while (inner && inner->element) inner = inner->element;
    const bool has_key = inner && std::any_of(inner->fields.begin(), inner->fields.end(),
                                              [&](const auto& field) { return field.name == key.string(); });
    return has_key ? parent : nullptr;
}

template <typename Blobs>
void check_keys(const Blobs& blobs, std::string_view package, const go::Type& type, Diagnostics& out) {
    for (const Blob* blob : blobs) {
        const go::Decoded decoded = go::decode(blob->value, type, {.unknown_keys = go::UnknownKeys::list});
        for (const auto& [key, object, in] : decoded.keys_in_other_case) {
            const std::string_view field = in->field_in_any_case(key.string())->name;
            const Location where = blob->at(Text{key.string(), key.offset()});
            out.push_back(with_name(
                warning("key-case", where,
                        fmt::format("opm reads \"{}\" as {}, and readers that are exact about letter case do "
                                    "not",
                                    visible(key.string()), field),
                        fmt::format("write {}", field)),
                where, key.string(), field, FixEffect::key));
        }
        std::map<std::pair<uint32_t, const go::Type*>, std::vector<std::string_view>> missing;
        std::set<const Member*> empty; // keys whose values are reported as not below them
        for (const auto& [key, object, in] : decoded.unknown_keys) {
            const Location where = blob->at(Text{key.string(), key.offset()});
            if (const Member* const parent = empty_parent(object, key, *in)) {
                if (!empty.insert(parent).second) continue;
                out.push_back(
                    with_note(warning("unknown-field", where,
                                      fmt::format("\"{}\" and what follows belong below {}, which is empty",
                                                  key.string(), parent->key.string()),
                                      fmt::format("indent these lines more than {}", parent->key.string())),
                              "the empty field", blob->at(parent->key.offset())));
                out.back().explains.blob = true;
                continue;
            }
            const auto [known, is_new] = missing.try_emplace({object.offset(), in});
            if (is_new) known->second = missing_fields(object, *in);
            const std::vector<std::string_view>& fields = known->second;
            out.push_back(with_name(
                warning("unknown-field", where,
                        fmt::format("{} has no field \"{}\"", name_of_object(*in), visible(key.string())),
                        help_for(key.string(), fields)),
                where, key.string(), misspelt(key.string(), fields), FixEffect::key));
            if (suggestion(key.string(), fields).empty()) continue;
            out.back().explains = {.blob = true, .blob_at = {}, .upgrades = true, .packages = {}};
            if (!is_edge(misspelt(key.string(), fields)))
                out.back().explains.packages = {std::string(package)};
        }
    }
}

} // namespace

void check_unknown_fields(const PackageIndex& index, Diagnostics& out) {
    for_each_schema(
        index, [&](const auto& blobs, const go::Type& type) { check_keys(blobs, index.name, type, out); });
}

namespace {

// With those of templates (template/template.hpp), which are checked as catalogs.
constexpr std::string_view known_schemas[] = {schema::package,           schema::channel,      schema::bundle,
                                              schema::deprecations,      "olm.template.basic", "olm.semver",
                                              "olm.template.substitutes"};

// The schemas of opm's former composite templates.
constexpr std::string_view other_templates[] = {"olm.composite", "olm.composite.catalogs"};

bool is_schema_of_template(std::string_view schema) {
    return schema == "olm.template.basic" || schema == "olm.semver" || schema == "olm.template.substitutes";
}

// Those that OLM or opm makes something of, in catalogs of today or of old.
constexpr std::string_view known_types[] = {property_type::package,
                                            property_type::package_required,
                                            property_type::gvk,
                                            property_type::gvk_required,
                                            property_type::constraint,
                                            property_type::channel,
                                            property_type::bundle_object,
                                            property_type::csv_metadata,
                                            property_type::max_openshift_version,
                                            property_type::label,
                                            property_type::label_required,
                                            property_type::deprecated,
                                            "olm.skips",
                                            "olm.skipRange",
                                            "olm.substitutesFor"};

// "olm.channel" for "channel", "Channels" or "olm-channel"; empty for other names.
std::string_view schema_with_prefix(std::string_view written) {
    std::string letters;
    for (const char c : ascii_lower(written))
        if (c >= 'a' && c <= 'z') letters += c;
    if (letters.starts_with("olm")) letters.erase(0, 3);
    for (const std::string_view known : known_schemas) {
        const std::string_view word = known.substr(known.find('.') + 1);
        if (written != known && (letters == word || letters == std::string(word) + 's')) return known;
    }
    return {};
}

// A name that is used many times is reported once, at the first place.
struct Misspelling {
    std::string_view meant;
    std::vector<Location> places;
    std::set<std::string_view> packages = {};
};
using Misspellings = std::map<std::string_view, Misspelling>; // by what was written

Misspelling& add(Misspellings& found, std::string_view written, std::span<const std::string_view> known,
                 const Location& where) {
    const auto [place, is_new] = found.try_emplace(written);
    Misspelling& misspelling = place->second;
    if (is_new) misspelling.meant = misspelt(written, known);
    misspelling.places.push_back(where);
    return misspelling;
}

void report(const Misspellings& found, std::string_view rule, std::string_view what, std::string_view things,
            Diagnostics& out) {
    for (const auto& [written, misspelling] : found) {
        if (misspelling.meant.empty()) continue;
        const std::vector<Location>& places = misspelling.places;
        const std::string more =
            places.size() > 1 ? fmt::format(" ({} {} have it)", places.size(), things) : std::string();
        out.push_back(
            with_name(warning(rule, places.front(),
                              fmt::format("the {} \"{}\" has no meaning to OLM{}", what, written, more),
                              fmt::format("did you mean {}?", misspelling.meant)),
                      places.front(), written, misspelling.meant, FixEffect::text));
        out.back().explains.blob = places.size() == 1;
        out.back().explains.packages.assign(misspelling.packages.begin(), misspelling.packages.end());
        if (!out.back().fix) continue;
        for (const Location& where : std::span(places).subspan(1))
            if (where.length == written.size())
                out.back().fix.edits.push_back({where, std::string(misspelling.meant)});
    }
}

} // namespace

void check_schema_names(const Catalog& catalog, Diagnostics& out) {
    Misspellings found;
    for (const OtherBlob& blob : catalog.others) {
        Misspelling& misspelling = add(found, blob.schema, known_schemas, blob.at(blob.schema));
        if (misspelling.meant.empty()) misspelling.meant = schema_with_prefix(blob.schema);
        // A bundle of a template names none: it is one of its package.
        const bool is_nameless = blob.package.empty() && blob.name.empty() && catalog.packages.size() == 1;
        misspelling.packages.insert(is_nameless            ? catalog.packages.front().name
                                    : blob.package.empty() ? blob.name
                                                           : blob.package);
    }
    const size_t before = out.size();
    report(found, "unknown-schema", "schema", "blobs", out);
    // A file with nothing but a template of no known kind: none of it is checked.
    const bool is_template = catalog.packages.empty() && catalog.channels.empty() && catalog.bundles.empty();
    if (!is_template) return;
    for (size_t i = before; i < out.size(); ++i)
        if (out[i].fix && is_schema_of_template(out[i].fix.edits.front().text))
            out[i].severity = Severity::error;
    for (const OtherBlob& blob : catalog.others)
        if (std::find(std::begin(other_templates), std::end(other_templates), blob.schema.text) !=
            std::end(other_templates))
            out.push_back(error("template", blob.at(blob.schema),
                                fmt::format("opcat does not have templates of the kind {}, and checks "
                                            "nothing of this one",
                                            blob.schema.text),
                                "render it with the tool that it is for, and check the result"));
}

void check_property_types(const PackageIndex& package, Diagnostics& out) {
    Misspellings found;
    const auto check = [&](const auto& blobs) {
        for (const auto* blob : blobs)
            for (const Property& property : blob->properties)
                if (!property.type.empty()) add(found, property.type, known_types, blob->at(property.type));
    };
    check(package.packages);
    check(package.channels);
    check(package.bundles);
    report(found, "unknown-property-type", "property type", "properties of the package", out);
}

} // namespace opcat
