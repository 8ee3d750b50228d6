#include "legacy_index/bundle_row.hpp"

#include "base/base64.hpp"
#include "catalog/finding.hpp"
#include "document/json_reader.hpp"
#include "document/json_writer.hpp"
#include "go/decode.hpp"
#include "go/fields.hpp"

#include <fmt/core.h>

#include <initializer_list>
#include <map>
#include <tuple>

namespace opcat::legacy {
namespace {

class Properties {
public:
    Properties(CatalogStorage& storage, Diagnostics& problems)
        : storage_(storage), arena_(storage.arenas.front()), problems_(problems) {}

    void add(std::string_view type,
             std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
        std::vector<Member> members;
        for (const auto& [key, text] : fields)
            members.push_back({Value::of(key), Value::of(arena_.copy(text))});
        add(type, Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members)))));
    }

    void add(std::string_view type, const Value& value) {
        std::string json;
        append_compact_json(json, value);
        values_.emplace(std::pair(std::string(type), std::move(json)), value);
    }

    // The JSON text of a column, checked; nothing if it is none.
    std::optional<Value> read(const TypedText& column, std::string_view go_type = {}) {
        storage_.files.push_back(std::make_unique<SourceFile>(column.type, column.json));
        const SourceFile& file = *storage_.files.back();
        Diagnostic problem;
        uint32_t end = 0;
        const auto value = read_json(file, 0, arena_, end, problem);
        if (!value || skip_json_space(file, end) != file.bytes().size()) {
            refuse(fmt::format("the value of {} is no JSON: {}", column.type,
                               value ? "text follows it" : problem.message));
            return std::nullopt;
        }
        if (!go_type.empty()) {
            const auto misfit = go::find_misfit(*value, go::type_named(go_type), go::Route::text);
            if (misfit) {
                refuse(misfit->message("the value of " + column.type));
                return std::nullopt;
            }
        }
        return value;
    }

    std::vector<Property> take() {
        std::vector<Property> properties;
        for (const auto& [key, value] : values_)
            properties.push_back({.type = {arena_.copy(key.first), 0},
                                  .value = arena_.copy(std::span<const Value>(&value, 1)).data(),
                                  .offset = 0,
                                  .json = arena_.copy(key.second)});
        return properties;
    }

private:
    void refuse(std::string message) { problems_.push_back(error("legacy-index", {}, std::move(message))); }

    CatalogStorage& storage_;
    Arena& arena_;
    Diagnostics& problems_;
    std::map<std::pair<std::string, std::string>, Value> values_; // by type and JSON text
};

} // namespace

Objects read_objects(const BundleRow& row, CatalogStorage& storage) {
    Objects objects;
    if (row.objects.empty()) return objects;
    storage.files.push_back(std::make_unique<SourceFile>(row.name, row.objects));
    const SourceFile& file = *storage.files.back();
    uint32_t at = skip_json_space(file, 0);
    while (at < file.bytes().size()) {
        Diagnostic problem;
        uint32_t end = at;
        const auto value = read_json(file, at, storage.arenas.front(), end, problem);
        if (!value) {
            objects.problem = problem.message;
            objects.csv.reset();
            return objects;
        }
        const std::string_view text = file.bytes().substr(at, end - at);
        objects.texts.push_back(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
        const Value* const kind = value->find("kind");
        if (!objects.csv && kind && kind->string_or_empty() == "ClusterServiceVersion") objects.csv = value;
        at = skip_json_space(file, end);
    }
    return objects;
}

std::vector<RelatedImage> related_images(const BundleRow& row, const Objects& objects, Arena& arena) {
    std::vector<RelatedImage> images;
    std::set<std::string> unnamed = row.images;
    const Value* const spec = objects.csv ? find_field(*objects.csv, "spec") : nullptr;
    const Value* const listed = spec ? find_field(*spec, "relatedImages") : nullptr;
    if (listed && listed->is_array()) {
        for (const Value& image : listed->items()) {
            images.push_back({{field_text(image, "name"), 0}, {field_text(image, "image"), 0}});
            unnamed.erase(std::string(images.back().image.text));
        }
    }
    for (const std::string& image : unnamed) images.push_back({{}, {arena.copy(image), 0}});
    return images;
}

std::vector<Property> properties_of(const BundleRow& row, const std::string& package, const Objects& objects,
                                    CatalogStorage& storage, Diagnostics& problems) {
    Properties properties(storage, problems);
    const auto add_gvk = [&](std::string_view type, const Value& value) {
        properties.add(type, {{"group", field_text(value, "group")},
                              {"kind", field_text(value, "kind")},
                              {"version", field_text(value, "version")}});
    };
    bool has_package = false;
    for (const TypedText& property : row.properties) {
        const bool is_gvk = property.type == property_type::gvk;
        const auto value = properties.read(property, is_gvk ? "property.GVK" : "");
        if (!value) continue;
        if (is_gvk)
            add_gvk(property_type::gvk, *value);
        else
            properties.add(property.type, *value);
        has_package = has_package || property.type == property_type::package;
    }
    if (!has_package)
        properties.add(property_type::package, {{"packageName", package}, {"version", row.version}});
    for (const TypedText& dependency : row.dependencies) {
        if (dependency.type == property_type::gvk) {
            if (const auto value = properties.read(dependency, "property.GVK"))
                add_gvk(property_type::gvk_required, *value);
        } else if (dependency.type == property_type::package) {
            if (const auto value = properties.read(dependency, "property.Package"))
                properties.add(property_type::package_required,
                               {{"packageName", field_text(*value, "packageName")},
                                {"versionRange", field_text(*value, "version")}});
        }
    }
    for (const std::string_view object : objects.texts)
        properties.add(property_type::bundle_object, {{"data", encode_base64(object)}});
    return properties.take();
}

} // namespace opcat::legacy
