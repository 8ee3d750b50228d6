// Parts of catalogs.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/filter/selection.hpp"

#include <string>
#include <vector>

namespace opcat {

// What has become of a package that is kept.
struct FilteredPackage {
    struct Channel {
        std::string name;
        std::string old_head, new_head; // what OLM classic installs; the same if it has not changed
        std::vector<std::string>
            still_skipped; // which OLM classic leaves out for what a dropped version said
    };
    std::string name;
    bool is_dependency = false; // it was not asked for itself
    size_t versions = 0;        // that are kept
    std::vector<std::string> dropped_channels;
    std::vector<std::string> dropped_versions; // names of bundles, in the order of the catalog
    std::vector<std::string> given_up;         // of those, the ones that were asked for: see repair_edges.hpp
    std::string old_default_channel;
    std::string new_default_channel;
    std::vector<Channel> channels; // that are kept and have changed
};

struct FilterReport {
    std::vector<FilteredPackage> kept;             // by name
    std::vector<std::string> dropped_packages;     // by name
    std::vector<std::string> missing_dependencies; // "foo.v1.0.0 requires package bar, which …"
};

struct FilteredCatalog {
    Catalog catalog;
    // Errors of the packages to keep: what is not valid cannot be repaired, and the catalog is then empty.
    Diagnostics diagnostics;
    FilterReport report;
};

// Keeps what is selected; with dependencies also, as they are, all packages that the kept bundles require by
// name or by the APIs that they provide, and what those require. Blobs of other schemas stay with their
// packages, those of no package stay; deprecations are kept as far as they are about what is kept. A default
// channel that is dropped gives way to the kept channel with the highest head. Equal input gives equal
// output. Throws RequestError for a package, channel or range that stands for nothing in the catalog.
FilteredCatalog filter_catalog(const Catalog& catalog, const Selection& selection, bool with_dependencies,
                               ThreadPool& pool);

// Sentences, one in a line, about what was dropped and what that changes.
std::string to_text(const FilterReport& report);

} // namespace opcat
