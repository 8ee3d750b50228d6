#include "catalog/checks.hpp"
#include "catalog/finding.hpp"
#include "catalog/shape.hpp"

#include <fmt/core.h>

namespace opcat {

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
