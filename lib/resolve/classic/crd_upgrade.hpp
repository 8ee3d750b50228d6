// Whether a CustomResourceDefinition may take the place of the one that is there.
#pragma once

#include "base/diagnostic.hpp"
#include "resolve/classic/cluster_state.hpp"

namespace opcat::classic {

// What stands in the way of an upgrade: a stored version that is gone (always refused); a served version that
// is gone, or an instance that is not valid any more. The latter two OLM refuses only where several CSVs own
// the definition (`owners`); with one owner it goes on, and they are warnings. `instances` are objects of any
// kind; those of the definition's kind count.
void check_crd_upgrade(const Object& current, const Object& wanted, const std::vector<Object>& instances,
                       size_t owners, Diagnostics& findings);

} // namespace opcat::classic
