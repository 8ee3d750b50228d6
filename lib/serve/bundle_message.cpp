#include "opcat/serve/bundle_message.hpp"

#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/serve/csv_document.hpp"
#include "opcat/serve/protobuf.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace opcat::serve {

using protobuf::append_bytes;
using protobuf::append_string;

namespace {

// The numbers of the fields of Bundle.
enum BundleField : uint32_t {
    csv_name = 1,
    package_name,
    channel_name,
    csv_json,
    object,
    bundle_path,
    provided_apis,
    required_apis,
    version,
    skip_range,
    dependencies,
    properties,
    replaces,
    skips,
    deprecation_field,
};

std::string compact_json(const Value& value) {
    Arena arena;
    std::string out;
    append_compact_json(out, normalised(value, arena));
    return out;
}

const Value& value_of(const Property& property) {
    static const Value null = Value::of_null();
    return property.value ? *property.value : null;
}

// Messages of two strings: Property, Dependency.
std::string encode_pair(std::string_view type, std::string_view value) {
    std::string out;
    append_string(out, 1, type);
    append_string(out, 2, value);
    return out;
}

std::string encode_api(const Api& api) {
    std::string out;
    append_string(out, 1, api.group);
    append_string(out, 2, api.version);
    append_string(out, 3, api.kind);
    return out;
}

bool carries_manifests(const Property& property) {
    return property.type == property_type::bundle_object || property.type == property_type::csv_metadata;
}

// A Dependency that a property stands for; empty if it stands for none.
std::string encode_dependency(const Property& property) {
    if (property.type == property_type::gvk_required)
        return encode_pair(property_type::gvk, compact_json(value_of(property)));
    if (property.type != property_type::package_required) return {};
    std::string value = "{\"packageName\":";
    append_json_string(value, field_text(value_of(property), "packageName"));
    value += ",\"version\":";
    append_json_string(value, field_text(value_of(property), "versionRange"));
    value += '}';
    return encode_pair(property_type::package, value);
}

} // namespace

std::vector<Api> apis_of(const Bundle& bundle, std::string_view type) {
    std::vector<Api> apis;
    for (const Property& property : bundle.properties) {
        if (property.type != type) continue;
        const Value& value = value_of(property);
        apis.push_back({std::string(field_text(value, "group")), std::string(field_text(value, "version")),
                        std::string(field_text(value, "kind"))});
    }
    return apis;
}

std::string encode_bundle(const Bundle& bundle, const DeprecationEntry* deprecation) {
    std::string out;
    append_string(out, csv_name, bundle.name);
    append_string(out, package_name, bundle.package);
    append_string(out, bundle_path, bundle.image);
    for (const Api& api : apis_of(bundle, property_type::gvk))
        append_bytes(out, provided_apis, encode_api(api));
    for (const Api& api : apis_of(bundle, property_type::gvk_required))
        append_bytes(out, required_apis, encode_api(api));
    if (const auto property = package_property(bundle)) append_string(out, version, property->version);
    for (const Property& property : bundle.properties) {
        if (const std::string dependency = encode_dependency(property); !dependency.empty())
            append_bytes(out, dependencies, dependency);
        if (!carries_manifests(property))
            append_bytes(out, properties, encode_pair(property.type, compact_json(value_of(property))));
    }
    if (deprecation) {
        std::string message;
        append_string(message, 1, deprecation->message);
        append_bytes(out, deprecation_field, message);
    }
    return out;
}

std::string encode_membership(std::string_view channel, const ChannelEntry& entry) {
    std::string out;
    append_string(out, channel_name, channel);
    append_string(out, skip_range, entry.skip_range);
    return out;
}

std::string encode_edges(const ChannelEntry& entry) {
    std::string out;
    append_string(out, replaces, entry.replaces);
    for (const Text& skip : entry.skips) append_bytes(out, skips, skip);
    return out;
}

std::string encode_manifests(const Bundle& bundle, const Package& package) {
    std::string out;
    bool has_objects = false;
    bool has_csv = false;
    const Property* metadata = nullptr;
    for (const Property& property : bundle.properties) {
        if (property.type == property_type::csv_metadata) metadata = &property;
        if (property.type != property_type::bundle_object) continue;
        has_objects = true;
        const std::string manifest = manifest_in(property).value_or("");
        const auto decoded = bundle_object_in(property);
        const std::string text = begins_with_brace(manifest)           ? manifest
                                 : decoded && decoded->problem.empty() ? compact_json(decoded->value)
                                                                       : "null";
        append_bytes(out, object, text);
        if (!has_csv && decoded && decoded->is_csv()) {
            append_string(out, csv_json, text);
            has_csv = true;
        }
    }
    if (has_csv || !metadata) return out;
    const std::string csv = csv_document(bundle, *metadata, package);
    append_string(out, csv_json, csv);
    if (!has_objects) append_bytes(out, object, csv);
    return out;
}

namespace {

// Writes messages from their end to their beginning: the length of a message is then known before it is to be
// written, and nothing is copied from level to level.
class BackwardWriter {
public:
    void fields_of(const Value& object) {
        if (++depth_ > deepest) too_deep_ = true;
        if (!too_deep_) write_fields(object);
        --depth_;
    }
    bool too_deep() const { return too_deep_; }
    std::string take() {
        std::reverse(out_.begin(), out_.end());
        return std::move(out_);
    }

private:
    static constexpr size_t deepest = 1000;

    void write_fields(const Value& object) {
        const std::vector<Member> members = ordered(object.members());
        for (auto member = members.rbegin(); member != members.rend(); ++member) {
            const size_t end = out_.size();
            value(member->value, 2);
            text(member->key.string(), 1);
            length(end, 1);
        }
    }
    void write_items(const Value& list) {
        if (++depth_ > deepest) too_deep_ = true;
        const auto items = list.items();
        for (auto item = items.rbegin(); item != items.rend() && !too_deep_; ++item) value(*item, 1);
        --depth_;
    }

    // A google.protobuf.Value as a field.
    void value(const Value& value, uint32_t field) {
        const size_t end = out_.size();
        switch (value.kind()) {
        case Value::Kind::null:
            number(0);
            tag(1, 0);
            break;
        case Value::Kind::integer:
        case Value::Kind::large_integer:
        case Value::Kind::real:
            real(value.number());
            break;
        case Value::Kind::string:
            text(value.string(), 3);
            break;
        case Value::Kind::boolean:
            number(value.boolean() ? 1 : 0);
            tag(4, 0);
            break;
        case Value::Kind::object: {
            const size_t inner = out_.size();
            fields_of(value);
            length(inner, 5);
            break;
        }
        case Value::Kind::array: {
            const size_t inner = out_.size();
            write_items(value);
            length(inner, 6);
            break;
        }
        }
        length(end, field);
    }

    void text(std::string_view text, uint32_t field) {
        const size_t end = out_.size();
        out_.append(text.rbegin(), text.rend());
        length(end, field);
    }
    void real(double number) {
        const auto bits = std::bit_cast<uint64_t>(number);
        for (unsigned shift = 64; shift > 0; shift -= 8)
            out_ += static_cast<char>((bits >> (shift - 8)) & 0xffU);
        tag(2, 1);
    }
    void number(uint64_t number) {
        std::string bytes;
        protobuf::append_varint(bytes, number);
        out_.append(bytes.rbegin(), bytes.rend());
    }
    void tag(uint32_t field, uint32_t wire_type) { number(uint64_t{field} << 3U | wire_type); }
    // Makes a field of what was written since `end`.
    void length(size_t end, uint32_t field) {
        number(out_.size() - end);
        tag(field, 2);
    }

    std::string out_;
    size_t depth_ = 0;
    bool too_deep_ = false;
};

} // namespace

std::optional<std::string> encode_struct(const Value& object) {
    BackwardWriter writer;
    writer.fields_of(object);
    if (writer.too_deep()) return std::nullopt;
    return writer.take();
}

} // namespace opcat::serve
