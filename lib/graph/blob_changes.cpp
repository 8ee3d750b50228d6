#include "opcat/graph/blob_changes.hpp"

#include "opcat/base/text.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/graph/value_diff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace opcat {
namespace {

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
    return std::ranges::find(keys, key) != keys.end();
}

const Value* items_of(const Value& object, std::string_view key) {
    const Value* const list = object.find(key);
    return list && list->is_array() ? list : nullptr;
}

std::string_view text_at(const Value& object, std::string_view key) {
    const Value* const found = object.is_object() ? object.find(key) : nullptr;
    return found ? found->string_or_empty() : std::string_view();
}

// "ClusterServiceVersion foo.v1": what a manifest in a property is; nothing for one that cannot be read.
std::optional<std::string> object_name(const BundleObject& object) {
    if (!object.problem.empty() || !object.value.is_object()) return std::nullopt;
    const Value* const metadata = object.value.find("metadata");
    return fmt::format("{} {}", object.kind, metadata ? text_at(*metadata, "name") : "");
}

// Those of one type, in their order.
using Properties = std::map<std::string_view, std::vector<const Property*>>;
Properties properties_by_type(const Bundle& bundle) {
    Properties all;
    for (const Property& property : bundle.properties) all[property.type].push_back(&property);
    return all;
}

void compare_objects(const std::vector<const Property*>& before, const std::vector<const Property*>& after,
                     std::vector<std::string>& details) {
    std::map<std::string, BundleObject> old;
    size_t unreadable = 0;
    const auto take = [&](const std::vector<const Property*>& properties, auto use) {
        for (const Property* property : properties) {
            auto object = bundle_object_in(*property);
            const auto name = object ? object_name(*object) : std::nullopt;
            if (name)
                use(*name, *std::move(object));
            else
                ++unreadable;
        }
    };
    const size_t said = details.size();
    take(before, [&](const std::string& name, BundleObject object) { old.emplace(name, std::move(object)); });
    take(after, [&](const std::string& name, const BundleObject& object) {
        const auto found = old.find(name);
        if (found == old.end()) {
            details.push_back(fmt::format("{} is new", name));
            return;
        }
        add_value_changes(found->second.value, object.value, name + ":", details);
        old.erase(found);
    });
    for (const auto& [name, object] : old) details.push_back(fmt::format("{} is gone", name));
    if (said == details.size())
        details.emplace_back(unreadable > 0 ? "another value of property olm.bundle.object"
                                            : "another text of the same manifests in olm.bundle.object");
}

void compare_properties(const Bundle& before, const Bundle& after, std::vector<std::string>& details) {
    const Properties old = properties_by_type(before);
    const Properties now = properties_by_type(after);
    for (const auto& [type, values] : now) {
        const auto found = old.find(type);
        if (found == old.end()) {
            details.push_back(fmt::format("new property {}", type));
            continue;
        }
        // Properties that both have, in any order, are the same.
        std::vector<const Property*> left = found->second;
        std::vector<const Property*> new_ones;
        for (const Property* property : values) {
            const auto same = std::ranges::find_if(left, [&](const Property* other) {
                return property->value && other->value ? says_the_same(*property->value, *other->value)
                                                       : property->value == other->value;
            });
            if (same == left.end())
                new_ones.push_back(property);
            else
                left.erase(same);
        }
        if (left.empty() && new_ones.empty()) continue;
        if (type == property_type::bundle_object) {
            compare_objects(left, new_ones, details);
            continue;
        }
        const std::string path = fmt::format("{}:", type);
        for (size_t i = 0; i < std::max(left.size(), new_ones.size()); ++i) {
            const Value* const was = i < left.size() ? left[i]->value : nullptr;
            const Value* const is = i < new_ones.size() ? new_ones[i]->value : nullptr;
            if (was && is)
                add_value_changes(*was, *is, path, details);
            else if (is)
                details.push_back(fmt::format("{} {} is new", path, in_words(*is)));
            else if (was)
                details.push_back(fmt::format("{} {} is gone", path, in_words(*was)));
            else
                details.push_back(fmt::format("another value of property {}", type));
        }
    }
    for (const auto& [type, values] : old)
        if (!now.contains(type)) details.push_back(fmt::format("property {} is gone", type));
}

void compare_related_images(const Value& before, const Value& after, std::vector<std::string>& details) {
    const Value* const old = items_of(before, "relatedImages");
    const Value* const now = items_of(after, "relatedImages");
    std::multimap<std::pair<std::string_view, std::string_view>, int> count;
    std::map<std::string_view, std::vector<std::string_view>> gone;
    std::map<std::string_view, std::vector<std::string_view>> added;
    const auto for_each = [](const Value* list, auto use) {
        for (const Value& item : list ? list->items() : std::span<const Value>())
            use(text_at(item, "name"), text_at(item, "image"));
    };
    for_each(old, [&](std::string_view name, std::string_view image) {
        count.emplace(std::pair(name, image), 0);
    });
    for_each(now, [&](std::string_view name, std::string_view image) {
        if (const auto same = count.find({name, image}); same != count.end())
            count.erase(same);
        else
            added[name].push_back(image);
    });
    for (const auto& [key, ignored] : count) gone[key.first].push_back(key.second);
    const auto shown = [](std::string_view name) {
        return name.empty() ? std::string("related image") : fmt::format("related image {}", name);
    };
    for (const auto& [name, images] : added) {
        auto& old_ones = gone[name];
        for (const std::string_view image : images) {
            if (old_ones.empty()) {
                details.push_back(fmt::format("{} is now {}", shown(name), image));
                continue;
            }
            details.push_back(fmt::format("{} was {} and is {}", shown(name), old_ones.back(), image));
            old_ones.pop_back();
        }
    }
    for (const auto& [name, images] : gone)
        for (const std::string_view image : images)
            details.push_back(fmt::format("{} was {} and is gone", shown(name), image));
}

} // namespace

void add_package_changes(const Package& before, const Package& after, std::vector<std::string>& details) {
    add_value_changes(before.value, after.value, "", details, [](std::string_view key) {
        return is_one_of(key, {"schema", "name", "defaultChannel", "icon", "description"});
    });
    // Members of the icon besides its data and its media type.
    const Value* const old = before.value.find("icon");
    const Value* const now = after.value.find("icon");
    if (old && now && old->is_object() && now->is_object())
        add_value_changes(*old, *now, "icon", details, [](std::string_view key) {
            return is_one_of(key, {"base64data", "mediatype"});
        });
}

void add_channel_changes(const Channel& before, const Channel& after, std::vector<std::string>& details) {
    add_value_changes(before.value, after.value, "", details, [](std::string_view key) {
        return is_one_of(key, {"schema", "package", "name", "entries"});
    });
    std::map<std::string_view, const Value*> old;
    if (const Value* const list = items_of(before.value, "entries"))
        for (const Value& entry : list->items()) old[text_at(entry, "name")] = &entry;
    const Value* const list = items_of(after.value, "entries");
    for (const Value& entry : list ? list->items() : std::span<const Value>())
        if (const auto found = old.find(text_at(entry, "name")); found != old.end())
            add_value_changes(*found->second, entry, fmt::format("{}:", text_at(entry, "name")), details,
                              [](std::string_view key) {
                                  return is_one_of(key, {"name", "replaces", "skips", "skipRange"});
                              });
}

void add_bundle_changes(const Bundle& before, const Bundle& after, std::vector<std::string>& details) {
    if (says_the_same(before.value, after.value)) return;
    add_value_changes(before.value, after.value, "", details, [](std::string_view key) {
        return is_one_of(key, {"schema", "package", "name", "image", "properties", "relatedImages"});
    });
    compare_properties(before, after, details);
    compare_related_images(before.value, after.value, details);
    // Other members of properties and related images.
    const auto others = [&](std::string_view list, std::initializer_list<std::string_view> known) {
        const Value* const old = items_of(before.value, list);
        const Value* const now = items_of(after.value, list);
        if (!old || !now || old->items().size() != now->items().size()) return;
        for (size_t i = 0; i < old->items().size(); ++i)
            if (old->items()[i].is_object() && now->items()[i].is_object())
                add_value_changes(old->items()[i], now->items()[i], fmt::format("{}[{}]", list, i), details,
                                  [&](std::string_view key) { return is_one_of(key, known); });
    };
    others("properties", {"type", "value"});
    others("relatedImages", {"name", "image"});
}

void add_deprecations_changes(
    const Deprecations* before, const Deprecations* after,
    const std::function<bool(std::string_view schema, std::string_view name)>& is_elsewhere,
    std::vector<std::string>& details) {
    if (before && after)
        add_value_changes(before->value, after->value, "", details, [](std::string_view key) {
            return is_one_of(key, {"schema", "package", "name", "entries"});
        });
    std::map<std::pair<std::string_view, std::string_view>, std::string_view> old;
    const auto for_each = [&](const Deprecations* of, auto use) {
        if (!of) return;
        for (const DeprecationEntry& entry : of->entries)
            if (!is_elsewhere(entry.schema, entry.name))
                use(std::pair(entry.schema.text, entry.name.text), entry.message.text);
    };
    const auto shown = [](const std::pair<std::string_view, std::string_view>& key) {
        return fmt::format("{} {}", key.first, key.second);
    };
    for_each(before, [&](auto key, std::string_view message) { old[key] = message; });
    for_each(after, [&](auto key, std::string_view message) {
        const auto found = old.find(key);
        if (found == old.end())
            details.push_back(fmt::format("{} is deprecated: {}", shown(key), on_one_line(message)));
        else if (found->second != message)
            details.push_back(
                fmt::format("{}: another deprecation message: {}", shown(key), on_one_line(message)));
        if (found != old.end()) old.erase(found);
    });
    for (const auto& [key, message] : old)
        details.push_back(fmt::format("{} is no longer deprecated", shown(key)));
}

} // namespace opcat
