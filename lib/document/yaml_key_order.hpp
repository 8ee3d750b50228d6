// The order in which Go's yaml.v2 writes the keys of a mapping.
#pragma once

#include <string_view>

namespace opcat {

// yaml.v2's keyList.Less: letters after everything else, numbers by their value. Numbers overflow as they do
// there, so that this is no proper order for very long ones.
bool yaml_key_less(std::string_view a, std::string_view b);

} // namespace opcat
