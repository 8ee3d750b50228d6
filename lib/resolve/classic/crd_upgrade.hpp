// Whether a CustomResourceDefinition may take the place of the one that is there.
#pragma once

#include "resolve/classic/cluster_state.hpp"
#include "support/diagnostic.hpp"

namespace opcat::classic {

// What OLM, or the API server, would refuse: a stored version that is gone, a served version that is gone, an
// instance that is not valid any more. `instances` are objects of any kind; those of the definition's kind
// and served versions count. `owners` is how many CSVs own the definition: OLM checks instances when there
// are several, and so do we, always, because they break either way.
void check_crd_upgrade(const Object& current, const Object& wanted, const std::vector<Object>& instances,
                       size_t owners, Diagnostics& findings);

} // namespace opcat::classic
