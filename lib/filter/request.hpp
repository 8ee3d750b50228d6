// The part of one catalog that an ImageSetConfiguration keeps, by the rules of oc-mirror v2
// (docs/spec/image-sets.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/filter/filter.hpp"

#include <string>
#include <vector>

namespace opcat {

// Versions to keep, both ends included; an empty end is open.
struct VersionBounds {
    std::string least;
    std::string most;
    Location where = {}; // of the first of them

    bool empty() const { return least.empty() && most.empty(); }
    bool is_pin() const { return !least.empty() && least == most; }
    std::string range() const; // ">=1.0.0 <=2.0.0", in the syntax of semver/constraints.hpp
};

struct RequestedChannel {
    std::string name;
    VersionBounds versions = {};
    Location where = {};
};

struct RequestedPackage {
    std::string name;
    std::string default_channel = {};            // empty: that of the package
    std::vector<RequestedChannel> channels = {}; // none: all
    VersionBounds versions = {};                 // of channels without bounds of their own
    Location where = {};
};

struct CatalogRequest {
    bool full = false; // all versions, else heads of channels, where there are no bounds
    std::vector<RequestedPackage> packages = {}; // none: all
    Location where = {};

    bool is_whole() const { return full && packages.empty(); }
};

// The diagnostics have errors if oc-mirror refuses the request, and also if what is left does not validate
// and cannot be repaired; warnings are about packages and channels that do not exist. Edges stay as they are,
// as in oc-mirror. Where its result does not validate it is repaired, and the report says how.
// Dependencies as in filter_catalog() for a selection.
FilteredCatalog filter_catalog(const Catalog& catalog, const CatalogRequest& request, bool with_dependencies,
                               ThreadPool& pool);

} // namespace opcat
