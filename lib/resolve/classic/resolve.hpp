// What OLM would do in a namespace: the resolution of operator-lifecycle-manager, as observed
// (docs/spec/resolution-classic.md), without a cluster.
#pragma once

#include "opcat/resolve/classic/finder.hpp"
#include "opcat/resolve/classic/problem.hpp"
#include "opcat/resolve/classic/solve.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat::classic {

// A catalog of the resolution; a CatalogSource may have none.
struct AvailableCatalog {
    CatalogKey key;
    std::shared_ptr<const Snapshot> snapshot; // nullptr: it is not served
    std::string error;                        // why not, in OLM's words
};

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
    VariableId variable = 0;
};

struct Resolution {
    // What the answer refers to.
    std::shared_ptr<Finder> finder;
    std::vector<const Subscription*> subscriptions; // of the namespace, by name
    Problem problem;
    Solution solution;

    std::vector<ResolvedOperator> operators; // by name
    std::string error;                       // OLM's words; empty: success
    std::vector<Mistake> mistakes;           // the mistakes, if there was no problem to solve
    std::vector<ConstraintRef> core;         // the contradicting constraints, if that is the error
    std::vector<std::string> conflicts;      // the core in OLM's words, sorted
    // Evaluating expressions was cancelled because it would take too long; the remaining ones counted as
    // false.
    bool gave_up = false;
};

Resolution resolve(const Request& request);

} // namespace opcat::classic
