#include "opcat/lint/csv_metadata.hpp"

#include "opcat/document/yaml_writer.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/fixes.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

Value metadata_of(const Value& csv, go::Route route, Arena& arena) {
    struct Origin {
        std::string_view field, from;
    };
    constexpr Origin spec_fields[] = {{"apiServiceDefinitions", "apiservicedefinitions"},
                                      {"crdDescriptions", "customresourcedefinitions"},
                                      {"description", "description"},
                                      {"displayName", "displayName"},
                                      {"installModes", "installModes"},
                                      {"keywords", "keywords"},
                                      {"links", "links"},
                                      {"maintainers", "maintainers"},
                                      {"maturity", "maturity"},
                                      {"minKubeVersion", "minKubeVersion"},
                                      {"nativeAPIs", "nativeAPIs"},
                                      {"provider", "provider"}};
    std::vector<Member> members;
    const auto take = [&](const Value* object, const Origin& origin) {
        const Value* const found = object ? find_field(*object, origin.from, route) : nullptr;
        if (found) members.push_back({Value::of(origin.field), *found});
    };
    const Value* const metadata = find_field(csv, "metadata", route);
    take(metadata, {"annotations", "annotations"});
    take(metadata, {"labels", "labels"});
    const Value* const spec = find_field(csv, "spec", route);
    for (const Origin& origin : spec_fields) take(spec, origin);
    const Value collected = Value::of(std::span<const Member>(members));
    return go::recode(collected, go::type_named("property.CSVMetadata"), route, arena);
}

// The item of a list, at the indentation of the one that it replaces.
std::string metadata_item(const Value& value, size_t indent) {
    const Member members[] = {{Value::of("type"), Value::of(property_type::csv_metadata)},
                              {Value::of("value"), value}};
    std::string yaml;
    if (append_yaml(yaml, Value::of(std::span<const Member>(members)))) return {};
    std::string item;
    bool is_first = true;
    for (size_t at = 0; at < yaml.size();) {
        const size_t end = std::min(yaml.find('\n', at), yaml.size());
        const std::string_view line = std::string_view(yaml).substr(at, end - at);
        if (!line.empty()) item.append(indent, ' ').append(is_first ? "- " : "  ").append(line);
        item += '\n';
        is_first = false;
        at = end + 1;
    }
    return item;
}

} // namespace

Result<Value, std::string> csv_metadata_of(const BundleObject& csv, Arena& arena) {
    const auto misfit = go::find_misfit(csv.value, go::type_named("ClusterServiceVersion"), csv.route());
    if (misfit) return misfit->message();
    return metadata_of(csv.value, csv.route(), arena);
}

Fix replace_bundle_objects(const Bundle& bundle) {
    if (!bundle.file || bundle.image.empty() || bundle.keep_unmodified) return {};
    const bool has_metadata =
        std::any_of(bundle.properties.begin(), bundle.properties.end(),
                    [](const Property& one) { return one.type == property_type::csv_metadata; });
    Fix fix;
    fix.title = has_metadata ? "remove olm.bundle.object" : "make olm.csv.metadata of olm.bundle.object";
    fix.effect = has_metadata ? FixEffect::less : FixEffect::metadata;
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::bundle_object) continue;
        Fix removed = remove_item(*bundle.file, property.offset, {});
        if (!removed) return {};
        fix.edits.push_back(std::move(removed.edits.front()));
    }
    if (fix.edits.empty() || has_metadata) return fix;
    const auto csv = csv_among_objects(bundle);
    if (!csv || !csv->problem.empty() || (!csv->is_json && begins_with_brace(csv->file->bytes()))) return {};
    Arena arena;
    const auto value = csv_metadata_of(*csv, arena);
    if (!value) return {};
    const std::string_view first = text_of(fix.edits.front().where);
    fix.edits.front().text = metadata_item(*value, first.find_first_not_of(' '));
    return fix.edits.front().text.empty() ? Fix() : fix;
}

} // namespace opcat
