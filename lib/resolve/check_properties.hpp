// Whether the resolvers can read the properties that they resolve with.
#pragma once

#include "catalog/catalog.hpp"
#include "support/diagnostic.hpp"
#include "support/thread_pool.hpp"

namespace opcat {

// What opm lets pass in a bundle and OLM stumbles over later, in the words of the code that resolves; sorted
// by place. Properties of the wrong form altogether are left to check_catalog.
//
//   dependency             warning  a requirement that keeps OLM classic from resolving:
//   olm.package.required,
//                                   olm.gvk.required, olm.label.required, olm.constraint with all in it
//   max-openshift-version  warning  an olm.maxOpenShiftVersion that OpenShift cannot read
Diagnostics check_resolved_properties(const Catalog& catalog, ThreadPool& pool);

} // namespace opcat
