#include "catalog/package_property.hpp"

#include "catalog/field_reader.hpp"

namespace opcat {

std::optional<PackageProperty> package_property(const Bundle& bundle) {
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::package || !property.value || !property.value->is_object())
            continue;
        Diagnostics ignored; // check_properties reports them
        const FieldReader fields(bundle.file, *property.value, property_type::package, ignored);
        return PackageProperty{fields.string("packageName"), fields.string("version"),
                               fields.string("release"), &property};
    }
    return std::nullopt;
}

} // namespace opcat
