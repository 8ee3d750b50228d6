#include "catalog/shape.hpp"

#include "catalog/finding.hpp"
#include "go/decode.hpp"

#include <fmt/core.h>

#include <utility>

namespace opcat {
namespace {

// olm.bundle.object is checked while the bundle is decoded (decode.hpp).
constexpr std::pair<std::string_view, std::string_view> types_of_values[] = {
    {property_type::package, "property.Package"},
    {property_type::package_required, "property.PackageRequired"},
    {property_type::gvk, "property.GVK"},
    {property_type::gvk_required, "property.GVK"},
    {property_type::channel, "property.Channel"},
    {property_type::csv_metadata, "property.CSVMetadata"},
};

void check_value(const Bundle& bundle, const Property& property, const go::Type& type, Diagnostics& out) {
    for (const go::Misfit& misfit : go::decode(*property.value, type, {}).misfits) {
        const bool needs_quotes = misfit.wanted->kind == go::Type::Kind::string &&
                                  (misfit.value.is_number() || misfit.value.is_boolean());
        out.push_back(error("property-value", bundle.at(misfit.value.offset()), misfit.message(property.type),
                            needs_quotes ? "put it in quotes" : ""));
    }
}

} // namespace

const go::Type* type_of_value(std::string_view property_type) {
    for (const auto& [known, type] : types_of_values)
        if (known == property_type) return &go::type_named(type);
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
        if (const go::Type* const type = type_of_value(property.type))
            check_value(bundle, property, *type, out);
    }
}

} // namespace opcat
