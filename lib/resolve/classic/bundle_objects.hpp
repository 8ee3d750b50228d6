// What a bundle holds, as far as its catalog carries it.
#pragma once

#include "resolve/classic/cluster_state.hpp"
#include "resolve/classic/entry.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::classic {

// The manifests in olm.bundle.object properties; nothing for a bundle that has them in its image only.
std::optional<ClusterState> objects_of(const Bundle& bundle);

// What an install plan applies besides the ClusterServiceVersion, as "Kind name", definitions first; nothing
// for a bundle that has its manifests in its image only.
std::vector<std::string> other_manifests_of(const Bundle& bundle);

// The install modes that the CSV supports ("OwnNamespace", …); nothing if the catalog does not tell.
std::optional<std::set<std::string>> install_modes_of(const Bundle& bundle);

} // namespace opcat::classic
