// Repairs of what a selection leaves of a package where it would not validate.
#pragma once

#include "opcat/filter/assemble.hpp"

#include <string>
#include <vector>

namespace opcat {

// Drops bundles without an entry and entries without a bundle, channels without entries, and a package
// without a blob of its own (it then has no channels); orders channels that have no head, several, or entries
// that nothing leads from to the head: the highest version becomes the head, edges to versions that are not
// lower go, and the head skips what is then left out; replaces a default channel that is not there by the one
// with the highest head. Adds one sentence about it to `repairs`, if anything was to be done. New entries
// are in the arena.
void make_valid(KeptPackage& kept, const PackageIndex& package, Arena& arena,
                std::vector<std::string>& repairs);

} // namespace opcat
