// Blobs as opm writes them.
#pragma once

#include "catalog/catalog.hpp"
#include "document/value.hpp"

namespace opcat {

// The blob in opm's normalised form (../shared/design/compat.md, "Writing"): the fields of its schema in
// their fixed order, without unknown and empty ones; free-form values with sorted keys (unless they have a
// JSON text of their own); properties that carry manifests behind the others; related images by image. The
// value lives as long as the catalog's storage and the arena.
Value to_value(const Package& package, Arena& arena);
Value to_value(const Channel& channel, Arena& arena);
// `for_json`: the value is to be written as JSON, with the JSON texts of properties as they are.
Value to_value(const Bundle& bundle, Arena& arena, bool for_json = false);
Value to_value(const Deprecations& deprecations, Arena& arena);
Value to_value(const OtherBlob& blob, Arena& arena);

} // namespace opcat
