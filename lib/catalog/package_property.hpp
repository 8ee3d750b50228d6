// What a bundle says of itself in its olm.package property.
#pragma once

#include "catalog/catalog.hpp"

#include <optional>

namespace opcat {

struct PackageProperty {
    Text package;
    Text version;
    Text release; // empty: none
    const Property* property;
};

// The first olm.package property whose value is an object. Fields of the wrong type are empty.
std::optional<PackageProperty> package_property(const Bundle& bundle);

} // namespace opcat
