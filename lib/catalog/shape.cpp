#include "catalog/shape.hpp"

#include "catalog/field_reader.hpp"
#include "catalog/finding.hpp"
#include "document/go_keys.hpp"

#include <fmt/core.h>

#include <cmath>

namespace opcat {
namespace {

bool is_integer(const Value& value) {
    if (value.kind() == Value::Kind::real)
        return std::abs(value.real()) < 0x1p63 && std::trunc(value.real()) == value.real();
    return value.kind() == Value::Kind::integer;
}

bool is_int32(const Value& value) {
    return is_integer(value) && value.number() >= -0x1p31 && value.number() < 0x1p31;
}

bool has_kind(const Value& value, Shape::Kind kind) {
    switch (kind) {
    case Shape::Kind::any:
        return true;
    case Shape::Kind::string:
        return value.is_string();
    case Shape::Kind::boolean:
        return value.is_boolean();
    case Shape::Kind::integer:
        return is_integer(value);
    case Shape::Kind::int32:
        return is_int32(value);
    case Shape::Kind::list:
        return value.is_array();
    case Shape::Kind::map:
    case Shape::Kind::object:
        return value.is_object();
    }
    return false;
}

std::string_view describe(Shape::Kind kind) {
    switch (kind) {
    case Shape::Kind::any:
        return "anything";
    case Shape::Kind::string:
        return "a string";
    case Shape::Kind::boolean:
        return "a boolean";
    case Shape::Kind::integer:
        return "an integer";
    case Shape::Kind::int32:
        return "a 32-bit integer";
    case Shape::Kind::list:
        return "a list";
    case Shape::Kind::map:
    case Shape::Kind::object:
        return "an object";
    }
    return {};
}

using Kind = Shape::Kind;
using Field = Shape::Field;

constexpr Shape any{};
constexpr Shape text{Kind::string};
constexpr Shape boolean{Kind::boolean};
constexpr Shape integer{Kind::integer};
constexpr Shape int32{Kind::int32};
constexpr Shape texts{Kind::list, &text};
constexpr Shape text_map{Kind::map, &text};

constexpr Field package_fields[] = {{"packageName", &text}, {"version", &text}, {"release", &text}};
constexpr Field package_required_fields[] = {{"packageName", &text}, {"versionRange", &text}};
constexpr Field gvk_fields[] = {{"group", &text}, {"version", &text}, {"kind", &text}};
constexpr Field channel_fields[] = {{"channelName", &text}, {"priority", &integer}};
constexpr Shape anything;
constexpr Field bundle_object_fields[] = {{"data", &anything}}; // which decoding a bundle checks
constexpr Shape gvk{Kind::object, nullptr, gvk_fields};
constexpr Shape gvks{Kind::list, &gvk};

// olm.csv.metadata: parts of a ClusterServiceVersion.
constexpr Field link_fields[] = {{"name", &text}, {"url", &text}};
constexpr Shape link{Kind::object, nullptr, link_fields};
constexpr Shape links{Kind::list, &link};
constexpr Field maintainer_fields[] = {{"name", &text}, {"email", &text}};
constexpr Shape maintainer{Kind::object, nullptr, maintainer_fields};
constexpr Shape maintainers{Kind::list, &maintainer};
constexpr Field install_mode_fields[] = {{"type", &text}, {"supported", &boolean}};
constexpr Shape install_mode{Kind::object, nullptr, install_mode_fields};
constexpr Shape install_modes{Kind::list, &install_mode};
constexpr Field resource_fields[] = {{"name", &text}, {"kind", &text}, {"version", &text}};
constexpr Shape resource{Kind::object, nullptr, resource_fields};
constexpr Shape resources{Kind::list, &resource};
constexpr Field descriptor_fields[] = {{"path", &text},
                                       {"displayName", &text},
                                       {"description", &text},
                                       {"x-descriptors", &texts},
                                       {"value", &any}};
constexpr Shape descriptor{Kind::object, nullptr, descriptor_fields};
constexpr Shape descriptors{Kind::list, &descriptor};
constexpr Field crd_fields[] = {{"name", &text},
                                {"version", &text},
                                {"kind", &text},
                                {"displayName", &text},
                                {"description", &text},
                                {"resources", &resources},
                                {"statusDescriptors", &descriptors},
                                {"specDescriptors", &descriptors},
                                {"actionDescriptors", &descriptors}};
constexpr Shape crd{Kind::object, nullptr, crd_fields};
constexpr Shape crds{Kind::list, &crd};
constexpr Field crd_list_fields[] = {{"owned", &crds}, {"required", &crds}};
constexpr Shape crd_lists{Kind::object, nullptr, crd_list_fields};
constexpr Field api_service_fields[] = {{"name", &text},
                                        {"group", &text},
                                        {"version", &text},
                                        {"kind", &text},
                                        {"deploymentName", &text},
                                        {"containerPort", &int32},
                                        {"displayName", &text},
                                        {"description", &text},
                                        {"resources", &resources},
                                        {"statusDescriptors", &descriptors},
                                        {"specDescriptors", &descriptors},
                                        {"actionDescriptors", &descriptors}};
constexpr Shape api_service{Kind::object, nullptr, api_service_fields};
constexpr Shape api_services{Kind::list, &api_service};
constexpr Field api_service_list_fields[] = {{"owned", &api_services}, {"required", &api_services}};
constexpr Shape api_service_lists{Kind::object, nullptr, api_service_list_fields};
constexpr Field csv_metadata_fields[] = {
    {"annotations", &text_map},
    {"apiServiceDefinitions", &api_service_lists},
    {"crdDescriptions", &crd_lists},
    {"description", &text},
    {"displayName", &text},
    {"installModes", &install_modes},
    {"keywords", &texts},
    {"labels", &text_map},
    {"links", &links},
    {"maintainers", &maintainers},
    {"maturity", &text},
    {"minKubeVersion", &text},
    {"nativeAPIs", &gvks},
    {"provider", &link},
};

constexpr std::pair<std::string_view, Shape> property_shapes[] = {
    {property_type::package, {Kind::object, nullptr, package_fields}},
    {property_type::package_required, {Kind::object, nullptr, package_required_fields}},
    {property_type::gvk, gvk},
    {property_type::gvk_required, gvk},
    {property_type::channel, {Kind::object, nullptr, channel_fields}},
    {property_type::bundle_object, {Kind::object, nullptr, bundle_object_fields}},
    {property_type::csv_metadata, {Kind::object, nullptr, csv_metadata_fields}},
};

} // namespace

void check_shape(const Blob& blob, const Value& value, const Shape& shape, const std::string& path,
                 Diagnostics& out) {
    if (value.is_null()) return;
    if (!has_kind(value, shape.kind)) {
        out.push_back(error(
            "property-value", blob.at(value.offset()),
            fmt::format("{} must be {}, not {}", path, describe(shape.kind), opcat::describe(value.kind())),
            shape.kind == Shape::Kind::string && (value.is_number() || value.is_boolean())
                ? "put it in quotes"
                : ""));
        return;
    }
    switch (shape.kind) {
    case Shape::Kind::list:
        for (size_t i = 0; i < value.items().size(); ++i)
            check_shape(blob, value.items()[i], *shape.element, fmt::format("{}[{}]", path, i), out);
        break;
    case Shape::Kind::map:
        for (const Member& member : value.members())
            check_shape(blob, member.value, *shape.element, fmt::format("{}.{}", path, member.key.string()),
                        out);
        break;
    case Shape::Kind::object:
        for (const Member& member : value.members())
            for (const Shape::Field& field : shape.fields)
                if (means_field(member.key.string(), field.name))
                    check_shape(blob, member.value, *field.shape, fmt::format("{}.{}", path, field.name),
                                out);
        break;
    default:
        break;
    }
}

const Shape* shape_of_property(std::string_view type) {
    for (const auto& [known, shape] : property_shapes)
        if (known == type) return &shape;
    return nullptr;
}

void check_properties(const Bundle& bundle, Diagnostics& out) {
    for (const Property& property : bundle.properties) {
        const Location where = property.type.empty() ? bundle.at(property.offset) : bundle.at(property.type);
        if (!property.value) {
            out.push_back(error("property-value", where,
                                fmt::format("a property of type \"{}\" needs a value", property.type.text),
                                "add \"value:\""));
            continue;
        }
        if (property.type.empty())
            out.push_back(warning("property-type", where,
                                  "a property needs a type, or nobody can make use of it", "add \"type:\""));
        if (const Shape* const shape = shape_of_property(property.type))
            check_shape(bundle, *property.value, *shape, std::string(property.type), out);
    }
}

} // namespace opcat
