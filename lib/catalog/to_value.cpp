#include "catalog/to_value.hpp"

#include "document/normalise.hpp"
#include "go/sort.hpp"

#include <algorithm>
#include <vector>

namespace opcat {
namespace {

class ObjectBuilder {
public:
    explicit ObjectBuilder(Arena& arena) : arena_(arena) {}

    ObjectBuilder& add(std::string_view key, const Value& value) {
        members_.push_back({Value::of(key), value});
        return *this;
    }
    ObjectBuilder& add(std::string_view key, std::string_view text) { return add(key, Value::of(text)); }
    ObjectBuilder& add_unless_empty(std::string_view key, std::string_view text) {
        return text.empty() ? *this : add(key, text);
    }

    template <typename Item, typename Convert>
    ObjectBuilder& add_list(std::string_view key, std::span<const Item> items, Convert convert) {
        std::vector<Value> values;
        values.reserve(items.size());
        for (const Item& item : items) values.push_back(convert(item));
        return add(key, Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(values)))));
    }
    template <typename Item, typename Convert>
    ObjectBuilder& add_list_unless_empty(std::string_view key, std::span<const Item> items, Convert convert) {
        return items.empty() ? *this : add_list(key, items, convert);
    }

    Value build() {
        return Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members_))));
    }

private:
    Arena& arena_;
    std::vector<Member> members_;
};

auto property_writer(Arena& arena, bool for_json = false) {
    return [&arena, for_json](const Property& property) {
        const Value value = property.value ? *property.value : Value::of_null();
        return ObjectBuilder(arena)
            .add("type", property.type)
            .add("value", for_json && !property.json.empty() ? Value::of_json(property.json)
                                                             : normalised(value, arena))
            .build();
    };
}

bool carries_manifests(const Property& property) {
    return property.type == property_type::bundle_object || property.type == property_type::csv_metadata;
}

} // namespace

Value to_value(const Package& package, Arena& arena) {
    ObjectBuilder object(arena);
    object.add("schema", schema::package)
        .add("name", package.name)
        .add("defaultChannel", package.default_channel);
    if (package.icon) {
        const Icon& icon = *package.icon;
        object.add("icon", ObjectBuilder(arena)
                               .add("base64data", icon.base64 ? Value::of(*icon.base64) : Value::of_null())
                               .add("mediatype", icon.media_type)
                               .build());
    }
    return object.add_unless_empty("description", package.description)
        .add_list_unless_empty("properties", package.properties, property_writer(arena))
        .build();
}

Value to_value(const Channel& channel, Arena& arena) {
    ObjectBuilder object(arena);
    object.add("schema", schema::channel).add("name", channel.name).add("package", channel.package);
    if (channel.has_entries) {
        object.add_list("entries", channel.entries, [&arena](const ChannelEntry& entry) {
            return ObjectBuilder(arena)
                .add("name", entry.name)
                .add_unless_empty("replaces", entry.replaces)
                .add_list_unless_empty("skips", entry.skips,
                                       [](const Text& skip) { return Value::of(skip.text); })
                .add_unless_empty("skipRange", entry.skip_range)
                .build();
        });
    } else {
        object.add("entries", Value::of_null());
    }
    return object.add_list_unless_empty("properties", channel.properties, property_writer(arena)).build();
}

Value to_value(const Bundle& bundle, Arena& arena, bool for_json) {
    std::vector<Property> properties(bundle.properties.begin(), bundle.properties.end());
    std::vector<RelatedImage> images(bundle.related_images.begin(), bundle.related_images.end());
    if (!bundle.keep_unmodified) {
        std::stable_partition(properties.begin(), properties.end(),
                              [](const Property& p) { return !carries_manifests(p); });
        go_sort(std::span<RelatedImage>(images),
                [](const RelatedImage& a, const RelatedImage& b) { return a.image.text < b.image.text; });
    }
    ObjectBuilder object(arena);
    return object.add("schema", schema::bundle)
        .add_unless_empty("name", bundle.name)
        .add_unless_empty("package", bundle.package)
        .add("image", bundle.image)
        .add_list_unless_empty("properties", std::span<const Property>(properties),
                               property_writer(arena, for_json))
        .add_list_unless_empty(
            "relatedImages", std::span<const RelatedImage>(images),
            [&arena](const RelatedImage& image) {
                return ObjectBuilder(arena).add("name", image.name).add("image", image.image).build();
            })
        .build();
}

Value to_value(const Deprecations& deprecations, Arena& arena) {
    ObjectBuilder object(arena);
    object.add("schema", schema::deprecations).add("package", deprecations.package);
    if (!deprecations.has_entries) return object.add("entries", Value::of_null()).build();
    return object
        .add_list("entries", deprecations.entries,
                  [&arena](const DeprecationEntry& entry) {
                      return ObjectBuilder(arena)
                          .add("reference", ObjectBuilder(arena)
                                                .add("schema", entry.schema)
                                                .add_unless_empty("name", entry.name)
                                                .build())
                          .add("message", entry.message)
                          .build();
                  })
        .build();
}

Value to_value(const OtherBlob& blob, Arena& arena) {
    return normalised(blob.value, arena);
}

} // namespace opcat
