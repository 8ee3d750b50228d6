// The types of the fields that are read of a cluster's objects.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"

namespace opcat::classic {

// Adds a finding [manifest] for each field of another type than the API server accepts, such as
// `status: False` without quotes: readers of objects take it for missing, and the answer would be about
// another object. Linear.
void check_types(const Object& object, Diagnostics& findings);

} // namespace opcat::classic
