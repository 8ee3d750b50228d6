#include "opcat/bundle/bundle_properties.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"

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
    return std::string(field_text(value.value, field, go::Route::text));
}

class Collector {
public:
    Collector(Arena& arena, Diagnostics& diagnostics) : arena_(arena), diagnostics_(diagnostics) {}

    void add_own(const std::vector<TypedValue>& own, std::string_view package,
                 const ClusterServiceVersion& csv) {
        TypedValue of_package = package_property(package, csv.version, csv.release, arena_);
        for (const TypedValue& property : own) {
            if (property.type == property_type::gvk) {
                if (fits(property, "property.GVK")) provided_.insert(gvk(property));
            } else if (property.type == property_type::package) {
                if (fits(property, "property.Package"))
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
                if (fits(dependency, "property.GVK")) required_.insert(gvk(dependency));
            } else if (dependency.type == property_type::package) {
                if (!fits(dependency, "property.Package")) continue;
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
        const auto misfit = go::find_misfit(value.value, go::type_named(type), go::Route::text);
        return !misfit || refuse(misfit->value.offset(), misfit->message("the value of " + value.type));
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
    const auto misfit =
        go::find_misfit(*list, go::type_named("BundleProperties").only_field(), go::Route::text);
    if (misfit)
        diagnostics.push_back(
            warning("bundle-property", {&annotation, misfit->value.offset(), 1},
                    "the annotation is used in part: " + misfit->message("olm.properties")));
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

namespace {

std::string_view text_of(const Value* object, std::string_view field) {
    return object ? field_text(*object, field, go::Route::converter) : std::string_view();
}

class Finder {
public:
    Finder(const ClusterServiceVersion& csv, Diagnostics& diagnostics)
        : csv_(csv), diagnostics_(diagnostics) {}

    void add_crd(const Manifest& manifest) {
        const bool v1 = manifest.version == "v1";
        if (!v1 && manifest.version != "v1beta1") return;
        const Value& object = manifest.object;
        const SourceFile* const file = manifest.file->file.get();
        if (manifest.group != "apiextensions.k8s.io") {
            diagnostics_.push_back(
                error("bundle-crd", {file, object.find("apiVersion")->offset(), 1},
                      fmt::format("a CustomResourceDefinition cannot be of API group \"{}\"", manifest.group),
                      fmt::format("write \"apiVersion: apiextensions.k8s.io/{}\"", manifest.version)));
            return;
        }
        const go::Type& type =
            go::type_named(v1 ? "CustomResourceDefinition" : "CustomResourceDefinitionV1Beta1");
        if (const auto misfit = go::find_misfit(object, type, go::Route::converter)) {
            diagnostics_.push_back(error("field-type", {file, misfit->value.offset(), 1},
                                         misfit->message() + " of CustomResourceDefinition"));
            return;
        }
        const Value* const spec = object.find("spec");
        const Value* const names = spec ? spec->find("names") : nullptr;
        ApiKey key{text_of(spec, "group"), {}, text_of(names, "kind"), text_of(names, "plural")};
        for (const Value& version : items_of(spec ? spec->find("versions") : nullptr)) {
            key.version = text_of(&version, "name");
            apis.provided.insert(key);
        }
        key.version = text_of(spec, "version");
        if (!v1 && !key.version.empty()) apis.provided.insert(key);
    }

    void add_api_services() {
        for (const Value& api : definitions("apiservicedefinitions", "owned"))
            apis.provided.insert(service_key(api));
        for (const Value& api : definitions("apiservicedefinitions", "required"))
            apis.required.insert(service_key(api));
    }

    void check_owned_crds() {
        for (const Value& crd : definitions("customresourcedefinitions", "owned")) {
            const auto key = crd_key(crd);
            if (!key || apis.provided.contains(*key)) continue;
            diagnostics_.push_back(with_note(
                error("bundle-crd", at(crd),
                      fmt::format(
                          "the owned CustomResourceDefinition {} with version {} and kind {} is not among "
                          "the manifests",
                          fmt::format("{}.{}", key->plural, key->group), key->version, key->kind),
                      "add its manifest, or correct name, version and kind"),
                fmt::format("found: {}", found_versions_of(*key))));
        }
    }

    void add_required_crds() {
        for (const Value& crd : definitions("customresourcedefinitions", "required"))
            if (const auto key = crd_key(crd)) apis.required.insert(*key);
    }

    BundleApis apis;

private:
    Location at(const Value& value) const { return {csv_.manifest->file->file.get(), value.offset(), 1}; }

    std::span<const Value> definitions(std::string_view field, std::string_view list) const {
        const Value* const all = csv_.spec->find(field);
        return items_of(all ? find_field(*all, list) : nullptr);
    }

    static std::string_view field(const Value& definition, std::string_view name) {
        return field_text(definition, name);
    }

    static ApiKey service_key(const Value& api) {
        return {field(api, "group"), field(api, "version"), field(api, "kind"), field(api, "name")};
    }

    // A custom resource definition is named "PLURAL.GROUP".
    std::optional<ApiKey> crd_key(const Value& crd) {
        const std::string_view name = field(crd, "name");
        const size_t dot = name.find('.');
        if (dot != name.npos)
            return ApiKey{name.substr(dot + 1), field(crd, "version"), field(crd, "kind"),
                          name.substr(0, dot)};
        diagnostics_.push_back(error(
            "bundle-crd", at(crd), fmt::format("\"{}\" is not the name of a CustomResourceDefinition", name),
            "write PLURAL.GROUP, as in \"widgets.example.com\""));
        return std::nullopt;
    }

    std::string found_versions_of(const ApiKey& wanted) const {
        std::string found;
        for (const ApiKey& key : apis.provided)
            if (key.group == wanted.group)
                found += fmt::format("{}{}.{} {} {}", found.empty() ? "" : ", ", key.plural, key.group,
                                     key.version, key.kind);
        return found.empty() ? fmt::format("nothing of group {}", wanted.group) : found;
    }

    const ClusterServiceVersion& csv_;
    Diagnostics& diagnostics_;
};

} // namespace

BundleApis find_apis(const std::vector<Manifest>& manifests, const ClusterServiceVersion& csv,
                     Diagnostics& diagnostics) {
    Finder finder(csv, diagnostics);
    for (const Manifest& manifest : manifests)
        if (manifest.kind == "CustomResourceDefinition") finder.add_crd(manifest);
    finder.add_api_services();
    finder.check_owned_crds();
    finder.add_required_crds();
    return std::move(finder.apis);
}

} // namespace opcat
