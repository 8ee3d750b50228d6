// Whether a catalog on a cluster is served, and if not, why (../shared/design/cluster.md, sections 2.5 and
// 3.2).
#pragma once

#include "cluster/generation.hpp"
#include "cluster/json.hpp"
#include "cluster/operator_state.hpp"

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace opcat::cluster {

struct CatalogState {
    Olm olm = Olm::classic;
    std::string ns; // empty for a ClusterCatalog
    std::string name;
    std::string image;  // or the address that serves it
    std::string digest; // what is served of it, where the cluster tells
    int64_t priority = 0;
    Health health = Health::working; // never `waits`
    std::chrono::milliseconds hold{0};
    std::string word;  // the cluster's own: "READY", "Serving", "TRANSIENT_FAILURE"
    std::string cause; // why it is not ready

    std::string full_name() const { return ns.empty() ? name : ns + "/" + name; }
};

// `pods` are those of the catalog (label olm.catalogSource), or more.
CatalogState state_of_catalog_source(const Json& catalog, std::span<const Json> pods);
CatalogState state_of_cluster_catalog(const Json& catalog);

} // namespace opcat::cluster
