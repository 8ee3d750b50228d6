// Everything that can be wrong with a catalog that loads (../shared/design/compat.md, "Validation").
#pragma once

#include "catalog/catalog.hpp"
#include "support/diagnostic.hpp"
#include "support/thread_pool.hpp"

namespace opcat {

// All findings, sorted by place. There are errors exactly where opm refuses the catalog; warnings are what
// opm lets pass and is surely a mistake, notes what is worth knowing. Packages are checked on all threads of
// the pool. Linear in the size of the catalog, except that each skipRange is compared with all versions of
// its package.
Diagnostics check_catalog(const Catalog& catalog, ThreadPool& pool);

} // namespace opcat
