// The findings of a catalog in parts, for programs that check it repeatedly while it changes: each part
// depends on some of the catalog only. lint() is made of the same parts.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/lint/checks.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

struct Configuration;
class Schemas;

// The findings that depend on one blob only.
struct BlobFindings {
    Diagnostics properties;  // the values of bundles' properties
    Diagnostics resolved;    // check_resolved_properties
    Diagnostics by_schema;   // Schemas::check, all of them
    Diagnostics for_project; // check_for_project
};
BlobFindings check_blobs(const Catalog& catalog, const Schemas& schemas, const Configuration& configuration,
                         ThreadPool& pool);

// The findings that depend on all blobs of one package.
struct PackageFindings {
    Diagnostics blobs;    // what is left of check_catalog
    Diagnostics upgrades; // check_health; only meant for a catalog that has loaded without an error
};
PackageFindings check_package_as_whole(const PackageIndex& package, const CheckLimits& limits);

// The findings of all checks about a catalog, or about a part of it.
struct CheckFindings {
    Diagnostics blobs = {};       // check_catalog
    Diagnostics resolved = {};    // check_resolved_properties
    Diagnostics by_schema = {};   // Schemas::check
    Diagnostics for_project = {}; // check_for_project
    Diagnostics upgrades = {};    // check_health
};

// The findings as lint() and editors report them, before a project's settings select (selection.hpp): what
// loading found, what the checks found, without repetitions, and the oddities. `is_whole`: everything loaded,
// so that nothing seems missing only because of that.
Diagnostics put_together(const LoadedCatalog& loaded, CheckFindings found, bool is_whole);

struct PackageFile {
    std::string_view name;
    std::string_view file; // that defines the package
};

// A directory with a catalog in each of several subdirectories, such as v4.14 and v4.16.
struct SeveralCatalogs {
    std::string root;                               // ends with '/', or is empty
    std::set<std::string, std::less<>> directories; // below the root, a name each
    size_t shared = 0;                              // packages that more than one of them defines
};

// Returns the catalogs if the packages that were read from one directory belong to several: at least half of
// them are defined in more than one subdirectory. O(n log n).
std::optional<SeveralCatalogs> find_several_catalogs(std::span<const PackageFile> packages);

} // namespace opcat
