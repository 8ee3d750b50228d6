// What OLM would do in a namespace: the resolution of operator-lifecycle-manager, as observed
// (docs/spec/resolution-classic.md), without a cluster.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/snapshot.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

// A catalog of the resolution; a CatalogSource may have none.
struct AvailableCatalog {
    CatalogKey key;
    std::shared_ptr<const Snapshot> snapshot; // nullptr: it is not served
    std::string error;                        // why not, in OLM's words
};

// What the CatalogSource of this key serves of a catalog: nothing if opm refuses it because of `errors`
// (find_errors of lint/lint.hpp).
AvailableCatalog served_catalog(const CatalogKey& key, const Source& source, const Diagnostics& errors = {});

// OLM's message about a catalog whose registry does not answer.
std::string unreachable_catalog(std::string_view address);

struct Request {
    std::string ns;
    std::string global_ns; // of catalogs that every namespace sees
    const ClusterState* cluster = nullptr;
    std::span<const AvailableCatalog> catalogs;
};

// An operator that would be installed, or upgraded to.
struct ResolvedOperator {
    const Entry* entry = nullptr;
    std::string replaces; // the CSV that it replaces; may be empty
};

struct Reasoning; // private

struct Resolution {
    std::vector<ResolvedOperator> operators; // by name
    std::string error;                       // OLM's words; empty: success
    std::vector<std::string> conflicts; // if constraints contradict each other: these, in OLM's words, sorted
    std::vector<const Subscription*> subscriptions; // of the namespace, by name
    std::shared_ptr<const Snapshot> existing;       // what is installed in it
    // Evaluating expressions was cancelled because it would take too long; the remaining ones counted as
    // false.
    bool gave_up = false;
    std::shared_ptr<const Reasoning> reasoning; // keeps alive what the answer refers to, but for the cluster
};

Resolution resolve(const Request& request);

} // namespace opcat::classic
