// The form of .opcat.yaml (configuration.hpp), for editors.
#pragma once

#include <string>

namespace opcat {

// JSON Schema 2020-12.
std::string configuration_schema();

} // namespace opcat
