#include "resolve/classic/bundle_objects.hpp"

#include "catalog/properties.hpp"

#include <fmt/core.h>

namespace opcat::classic {
namespace {

std::set<std::string> supported(const Value& modes) {
    std::set<std::string> found;
    if (!modes.is_array()) return found;
    for (const Value& mode : modes.items()) {
        const Value* const type = mode.find("type");
        const Value* const is_supported = mode.find("supported");
        if (type && type->is_string() && is_supported && is_supported->is_boolean() &&
            is_supported->boolean())
            found.emplace(type->string());
    }
    return found;
}

} // namespace

std::optional<ClusterState> objects_of(const Bundle& bundle) {
    std::optional<ClusterState> objects;
    for (const Property& property : bundle.properties) {
        const auto manifest = manifest_in(property);
        if (!manifest) continue;
        if (!objects) objects.emplace();
        Diagnostics unreadable;
        read_manifests(
            std::make_shared<SourceFile>(fmt::format("a manifest of {}", bundle.name.text), *manifest),
            *objects, unreadable);
    }
    return objects;
}

std::vector<std::string> other_manifests_of(const Bundle& bundle) {
    std::vector<std::string> names;
    const auto objects = objects_of(bundle);
    if (!objects) return names;
    for (const Object& crd : objects->crds)
        names.push_back(fmt::format("CustomResourceDefinition {}", crd.name));
    for (const Object& object : objects->others)
        names.push_back(fmt::format("{} {}", object.text_at({"kind"}), object.name));
    return names;
}

std::optional<std::set<std::string>> install_modes_of(const Bundle& bundle) {
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::csv_metadata || !property.value) continue;
        if (const Value* const modes = property.value->find("installModes")) return supported(*modes);
    }
    if (const auto objects = objects_of(bundle))
        for (const ClusterServiceVersion& csv : objects->csvs)
            if (const Value* const modes = csv.at({"spec", "installModes"})) return supported(*modes);
    return std::nullopt;
}

} // namespace opcat::classic
