// Bytes in JSON and YAML as Go's encoding/json reads them.
#pragma once

#include "document/value.hpp"

#include <optional>
#include <string>

namespace opcat {

// Of base64, or of a list of numbers up to 255, in which null is 0; null itself stands for none. Nothing if
// the value is none of these.
std::optional<std::string> go_bytes(const Value& value);

} // namespace opcat
