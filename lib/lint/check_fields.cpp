#include "base/text.hpp"
#include "catalog/field_reader.hpp"
#include "catalog/finding.hpp"
#include "document/go_keys.hpp"
#include "document/syntax_cause.hpp"
#include "lint/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view package_names[] = {"schema",      "name",       "defaultChannel", "icon",
                                              "description", "properties", "package"};
constexpr std::string_view icon_names[] = {"base64data", "mediatype"};
constexpr std::string_view channel_names[] = {"schema", "name", "package", "entries", "properties"};
constexpr std::string_view entry_names[] = {"name", "replaces", "skips", "skipRange"};
constexpr std::string_view bundle_names[] = {"schema", "name",       "package",
                                             "image",  "properties", "relatedImages"};
constexpr std::string_view property_names[] = {"type", "value"};
constexpr std::string_view image_names[] = {"name", "image"};
constexpr std::string_view deprecations_names[] = {"schema", "package", "name", "entries"};
constexpr std::string_view deprecation_names[] = {"reference", "message"};
constexpr std::string_view reference_names[] = {"schema", "name"};

class FieldCheck {
public:
    FieldCheck(const Blob& blob, Diagnostics& out) : blob_(blob), out_(out) {}

    void object(const Value* value, Names known, std::string_view what) const {
        if (!value || !value->is_object()) return;
        for (const Member& member : value->members()) {
            const std::string_view key = member.key.string();
            if (std::any_of(known.begin(), known.end(),
                            [&](std::string_view name) { return means_field(key, name); }))
                continue;
            out_.push_back(warning("unknown-field", blob_.at(Text{key, member.key.offset()}),
                                   fmt::format("{} has no field \"{}\"", what, visible(key)),
                                   help_for(key, known)));
        }
    }

    void list(const Value* value, Names known, std::string_view what) const {
        if (!value || !value->is_array()) return;
        for (const Value& item : value->items()) object(&item, known, what);
    }

    const Value* field(std::string_view name) const { return field(blob_.value, name); }
    const Value* field(const Value& value, std::string_view name) const {
        Diagnostics ignored;
        return FieldReader(blob_.file, value, "", ignored).find(name);
    }

private:
    // With characters that nobody can see as escapes.
    static std::string visible(std::string_view key) {
        std::string text;
        while (const auto deceptive = find_deceptive_character(key)) {
            text += key.substr(0, deceptive->at);
            text +=
                fmt::format("\\u{:04x}",
                            static_cast<uint32_t>(decode_utf8(key.substr(deceptive->at, deceptive->length))));
            key.remove_prefix(deceptive->at + deceptive->length);
        }
        return text + std::string(key);
    }
    static std::string help_for(std::string_view key, Names known) {
        if (const auto deceptive = find_deceptive_character(key))
            return fmt::format("the key contains a {}: {}", deceptive->name, deceptive->help);
        const std::string near = did_you_mean(key, known);
        return near.empty() ? "nothing reads it, and rendering drops it: remove it" : near;
    }

    const Blob& blob_;
    Diagnostics& out_;
};

} // namespace

void check_unknown_fields(const PackageIndex& index, Diagnostics& out) {
    for (const Package* package : index.packages) {
        const FieldCheck check(*package, out);
        check.object(&package->value, package_names, "olm.package");
        check.object(check.field("icon"), icon_names, "an icon");
        check.list(check.field("properties"), property_names, "a property");
    }
    for (const Channel* channel : index.channels) {
        const FieldCheck check(*channel, out);
        check.object(&channel->value, channel_names, "olm.channel");
        check.list(check.field("entries"), entry_names, "a channel entry");
        check.list(check.field("properties"), property_names, "a property");
    }
    for (const Bundle* bundle : index.bundles) {
        const FieldCheck check(*bundle, out);
        check.object(&bundle->value, bundle_names, "olm.bundle");
        check.list(check.field("properties"), property_names, "a property");
        check.list(check.field("relatedImages"), image_names, "a related image");
    }
    for (const Deprecations* deprecations : index.deprecations) {
        const FieldCheck check(*deprecations, out);
        check.object(&deprecations->value, deprecations_names, "olm.deprecations");
        const Value* const entries = check.field("entries");
        check.list(entries, deprecation_names, "a deprecation entry");
        if (!entries || !entries->is_array()) continue;
        for (const Value& entry : entries->items())
            check.object(check.field(entry, "reference"), reference_names, "a reference");
    }
}

namespace {

constexpr std::string_view known_schemas[] = {schema::package, schema::channel, schema::bundle,
                                              schema::deprecations};

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

// Of a name that is used many times the first place is enough.
struct Misspelling {
    std::string_view meant;
    Location where;
    size_t count = 0;
};
using Misspellings = std::map<std::string_view, Misspelling>; // by what was written

void add(Misspellings& found, std::string_view written, std::span<const std::string_view> known,
         const Location& where) {
    const auto [place, is_new] = found.try_emplace(written);
    Misspelling& misspelling = place->second;
    if (is_new) misspelling = {misspelt(written, known), where, 0};
    ++misspelling.count;
}

void report(const Misspellings& found, std::string_view rule, std::string_view what, std::string_view things,
            Diagnostics& out) {
    for (const auto& [written, misspelling] : found) {
        if (misspelling.meant.empty()) continue;
        const std::string more = misspelling.count > 1
                                     ? fmt::format(" ({} {} have it)", misspelling.count, things)
                                     : std::string();
        out.push_back(warning(rule, misspelling.where,
                              fmt::format("the {} \"{}\" has no meaning to OLM{}", what, written, more),
                              fmt::format("did you mean {}?", misspelling.meant)));
    }
}

} // namespace

void check_schema_names(const Catalog& catalog, Diagnostics& out) {
    Misspellings found;
    for (const OtherBlob& blob : catalog.others) add(found, blob.schema, known_schemas, blob.at(blob.schema));
    report(found, "unknown-schema", "schema", "blobs", out);
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
