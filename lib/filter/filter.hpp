// Parts of catalogs.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/filter/selection.hpp"

#include <string>
#include <unordered_set>
#include <vector>

namespace opcat {

// The result for a package that is kept.
struct FilteredPackage {
    struct Channel {
        std::string name;
        std::string old_head, new_head; // what OLM classic installs, empty: nothing; equal if unchanged
        std::vector<std::string> still_skipped; // which OLM classic leaves out because of a dropped version
    };
    std::string name;
    bool is_dependency = false; // it was not selected itself
    size_t versions = 0;        // that are kept
    std::vector<std::string> dropped_channels;
    std::vector<std::string> dropped_versions; // names of bundles, in the order of the catalog
    std::vector<std::string> given_up;         // of those, the selected ones: see repair_edges.hpp
    std::vector<std::string> left_behind;      // names without a bundle, from which no edge leads any more
    std::string old_default_channel;
    std::string new_default_channel;
    std::vector<Channel> channels; // that are kept and have changed
};

struct FilterReport {
    std::vector<FilteredPackage> kept;             // by name
    std::vector<std::string> dropped_packages;     // by name
    std::vector<std::string> missing_dependencies; // "foo.v1.0.0 requires package bar, which …"
    std::vector<std::string> repairs;              // sentences: see assemble.hpp
};

struct FilteredCatalog {
    Catalog catalog;
    // Errors of the packages to keep: an invalid package cannot be repaired, and the catalog is then empty.
    Diagnostics diagnostics;
    FilterReport report;
    bool is_whole = false; // nothing is dropped or changed
};

// Keeps the selection; with dependencies also, unchanged, all packages that the kept bundles require by name
// or by the APIs that they provide, and the requirements of those. Blobs of other schemas stay with their
// packages, those without a package stay; deprecations of kept objects are kept. If the default channel is
// dropped, the kept channel with the highest head replaces it. Deterministic. Throws RequestError for a
// package, channel or range that matches nothing in the catalog, and for a package of which nothing can be
// kept. Of a selection that only excludes packages, all others are kept, and what they require of the
// excluded ones is a missing dependency.
FilteredCatalog filter_catalog(const Catalog& catalog, const Selection& selection, bool with_dependencies,
                               ThreadPool& pool);

// Without these bundles, which are of the catalog, and without packages of which nothing is left; edges are
// repaired as above. Throws as above.
FilteredCatalog without_bundles(const Catalog& catalog, const std::unordered_set<const Bundle*>& bundles,
                                ThreadPool& pool);

// Sentences, one on each line, about what was dropped and the effects.
std::string to_text(const FilterReport& report);

} // namespace opcat
