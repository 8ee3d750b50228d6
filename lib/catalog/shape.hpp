// The forms of objects that OLM decodes into structs of a fixed type.
#pragma once

#include "base/diagnostic.hpp"
#include "catalog/catalog.hpp"

#include <span>
#include <string_view>

namespace opcat {

// What Go's encoding/json would take for a field. Fields that are not named may hold anything; null is taken
// everywhere.
struct Shape {
    enum class Kind : uint8_t { any, string, boolean, integer, int32, list, map, object };
    struct Field;

    Kind kind = Kind::any;
    const Shape* element = nullptr;     // of a list or map
    std::span<const Field> fields = {}; // of an object
};

struct Shape::Field {
    std::string_view name;
    const Shape* shape;
};

// Adds an error of rule "property-value" for each value that does not fit. `path` names the value in
// messages.
void check_shape(const Blob& blob, const Value& value, const Shape& shape, const std::string& path,
                 Diagnostics& out);

// Of the values of properties that OLM knows; nullptr for others.
const Shape* shape_of_property(std::string_view type);

// Whether the values of a bundle's properties have the form that OLM reads: adds findings of the rules
// "property-value" and "property-type".
void check_properties(const Bundle& bundle, Diagnostics& out);

} // namespace opcat
