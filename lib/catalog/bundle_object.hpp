// Manifests that a catalog holds in olm.bundle.object properties.
#pragma once

#include "catalog/catalog.hpp"

#include <optional>
#include <string>

namespace opcat {

// The bytes of the manifest; nothing if the property is another one, or holds none.
std::optional<std::string> manifest_in(const Property& property);

} // namespace opcat
