#include "bundle/bundle_properties.hpp"

#include "catalog/finding.hpp"
#include "document/go_keys.hpp"
#include "document/json_reader.hpp"
#include "document/json_writer.hpp"
#include "manifest/api_types.hpp"
#include "support/base64.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>

namespace opcat {
namespace {

Value object_of(std::initializer_list<std::pair<std::string_view, std::string_view>> fields, Arena& arena) {
    std::vector<Member> members;
    for (const auto& [key, text] : fields) members.push_back({Value::of(key), Value::of(arena.copy(text))});
    return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))));
}

// As opm builds a property: without HTML escapes.
TypedValue built(std::string_view type, const Value& value) {
    TypedValue result{.type = std::string(type), .json = {}, .value = value};
    append_compact_json(result.json, value);
    return result;
}

TypedValue package_property(std::string_view package, std::string_view version, std::string_view release,
                            Arena& arena) {
    const Value value =
        release.empty()
            ? object_of({{"packageName", package}, {"version", version}}, arena)
            : object_of({{"packageName", package}, {"version", version}, {"release", release}}, arena);
    return built(property_type::package, value);
}

void remove_duplicates(std::vector<TypedValue>& values) {
    std::set<std::pair<std::string, std::string>> seen;
    std::erase_if(values,
                  [&](const TypedValue& value) { return !seen.emplace(value.type, value.json).second; });
}

std::string field_of(const TypedValue& value, std::string_view field) {
    const Value* const found = find_field(value.value, field);
    return std::string(found ? found->string_or_empty() : std::string_view());
}

class Collector {
public:
    Collector(Arena& arena, Diagnostics& diagnostics) : arena_(arena), diagnostics_(diagnostics) {}

    void add_own(const std::vector<TypedValue>& own, std::string_view package,
                 const ClusterServiceVersion& csv) {
        TypedValue of_package = package_property(package, csv.version, csv.release, arena_);
        for (const TypedValue& property : own) {
            if (property.type == property_type::gvk) {
                if (fits(property, "GroupVersionKind")) provided_.insert(gvk(property));
            } else if (property.type == property_type::package) {
                if (fits(property, "PackageProperty"))
                    of_package =
                        package_property(field_of(property, "packageName"), field_of(property, "version"),
                                         field_of(property, "release"), arena_);
            } else {
                values_.push_back(property);
            }
        }
        values_.push_back(std::move(of_package));
    }

    void add_dependencies(const std::vector<TypedValue>& dependencies) {
        for (const TypedValue& dependency : dependencies) {
            if (dependency.type == property_type::gvk) {
                if (fits(dependency, "GroupVersionKind")) required_.insert(gvk(dependency));
            } else if (dependency.type == property_type::package) {
                if (!fits(dependency, "PackageProperty")) continue;
                values_.push_back(built(property_type::package_required,
                                        object_of({{"packageName", field_of(dependency, "packageName")},
                                                   {"versionRange", field_of(dependency, "version")}},
                                                  arena_)));
            } else {
                values_.push_back(dependency);
            }
        }
    }

    void add_apis(const BundleApis& apis) {
        for (const ApiKey& api : apis.provided)
            provided_.insert({std::string(api.group), std::string(api.kind), std::string(api.version)});
        for (const ApiKey& api : apis.required)
            required_.insert({std::string(api.group), std::string(api.kind), std::string(api.version)});
    }

    void add_manifests(const std::vector<Manifest>& manifests) {
        for (const Manifest& manifest : manifests)
            values_.push_back(built(property_type::bundle_object,
                                    object_of({{"data", encode_base64(go_json(manifest.object))}}, arena_)));
    }

    std::vector<Property> take() {
        add_gvks(property_type::gvk, provided_);
        add_gvks(property_type::gvk_required, required_);
        std::sort(values_.begin(), values_.end(), [](const TypedValue& a, const TypedValue& b) {
            return std::tie(a.type, a.json) < std::tie(b.type, b.json);
        });
        std::vector<Property> properties;
        for (const TypedValue& value : values_) {
            const std::span<Value> stored = arena_.copy(std::span<const Value>(&value.value, 1));
            properties.push_back({.type = {arena_.copy(value.type), 0},
                                  .value = value.json.empty() ? nullptr : stored.data(),
                                  .offset = 0,
                                  .json = arena_.copy(value.json)});
        }
        return properties;
    }

private:
    using Gvk = std::tuple<std::string, std::string, std::string>; // group, kind, version

    static Gvk gvk(const TypedValue& value) {
        return {field_of(value, "group"), field_of(value, "kind"), field_of(value, "version")};
    }

    void add_gvks(std::string_view type, const std::set<Gvk>& gvks) {
        for (const auto& [group, kind, version] : gvks)
            values_.push_back(
                built(type, object_of({{"group", group}, {"kind", kind}, {"version", version}}, arena_)));
    }

    bool fits(const TypedValue& value, std::string_view type) {
        const auto refuse = [&](uint32_t offset, std::string message) {
            diagnostics_.push_back(error("bundle-property", {value.file, offset, 1}, std::move(message)));
            return false;
        };
        if (value.json.empty()) return refuse(value.offset, fmt::format("{} has no value", value.type));
        const auto misfit = manifest::find_misfit(value.value, manifest::api_types()[type],
                                                  manifest::KeyMatch::any_case, "the value of " + value.type);
        return !misfit || refuse(misfit->offset, misfit->message);
    }

    Arena& arena_;
    Diagnostics& diagnostics_;
    std::vector<TypedValue> values_;
    std::set<Gvk> provided_;
    std::set<Gvk> required_;
};

std::vector<TypedValue> annotated_properties(const SourceFile& annotation, Arena& arena,
                                             Diagnostics& diagnostics) {
    Diagnostic problem;
    uint32_t end = 0;
    const auto list = read_json(annotation, 0, arena, end, problem);
    if (!list || skip_json_space(annotation, end) != annotation.bytes().size()) {
        diagnostics.push_back(warning("bundle-property", {&annotation, list ? end : problem.where.offset, 1},
                                      fmt::format("the annotation olm.properties is ignored: {}",
                                                  list ? "text follows its value" : problem.message)));
        return {};
    }
    const auto misfit = manifest::find_misfit(*list, manifest::api_types()["BundleProperties"].only_field(),
                                              manifest::KeyMatch::any_case, "olm.properties");
    if (misfit)
        diagnostics.push_back(warning("bundle-property", {&annotation, misfit->offset, 1},
                                      "the annotation is used in part: " + misfit->message));
    return list->is_array() ? typed_values(annotation, Notation::json, *list, arena)
                            : std::vector<TypedValue>();
}

} // namespace

std::vector<TypedValue> own_properties(const BundleMetadata& metadata, const ClusterServiceVersion& csv,
                                       const SourceFile* annotation, Arena& arena, Diagnostics& diagnostics) {
    std::vector<TypedValue> own = metadata.properties;
    if (!metadata.package.empty())
        own.push_back(package_property(metadata.package, csv.version, csv.release, arena));
    if (annotation)
        for (TypedValue& property : annotated_properties(*annotation, arena, diagnostics))
            own.push_back(std::move(property));
    remove_duplicates(own);
    return own;
}

std::string first_package_version(const std::vector<TypedValue>& own) {
    const auto found = std::find_if(
        own.begin(), own.end(), [](const TypedValue& value) { return value.type == property_type::package; });
    return found == own.end() ? std::string() : field_of(*found, "version");
}

std::vector<Property> all_properties(const std::vector<TypedValue>& own, const BundleMetadata& metadata,
                                     const ClusterServiceVersion& csv, const BundleApis& apis,
                                     const std::vector<Manifest>& manifests, Arena& arena,
                                     Diagnostics& diagnostics) {
    Collector collector(arena, diagnostics);
    collector.add_own(own, metadata.package, csv);
    collector.add_dependencies(metadata.dependencies);
    collector.add_apis(apis);
    collector.add_manifests(manifests);
    return collector.take();
}

} // namespace opcat
