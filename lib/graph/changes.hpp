// The two halves of diff_catalogs.
#pragma once

#include "graph/catalog_diff.hpp"

namespace opcat {

// Either may be nullptr: the package was added or removed. No changes: nothing.
std::optional<PackageChanges> find_changes(const PackageGraph* before, const PackageGraph* after);

void find_harms(const PackageGraph* before, const PackageGraph* after, std::vector<Harm>& out);

} // namespace opcat
