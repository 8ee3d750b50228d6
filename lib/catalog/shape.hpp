// What the values of properties must be to OLM.
#pragma once

#include "base/diagnostic.hpp"
#include "catalog/catalog.hpp"
#include "go/type.hpp"

#include <string_view>

namespace opcat {

// What OLM decodes the value of a property of this type into; nullptr if it does not, or if the value has a
// free form.
const go::Type* type_of_value(std::string_view property_type);

// Whether the values of a bundle's properties have the form that OLM reads: adds findings of the rules
// "property-value" and "property-type".
void check_properties(const Bundle& bundle, Diagnostics& out);

} // namespace opcat
