// The operators of an ImageSetConfiguration (mirror.openshift.io/v2alpha1), as oc-mirror reads it.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/filter/selection.hpp"
#include "opcat/olm/package_graph.hpp"

#include <string>
#include <vector>

namespace opcat {

// Versions to keep, both ends included; an empty end is open.
struct VersionBounds {
    std::string least;
    std::string most;

    bool empty() const { return least.empty() && most.empty(); }
};

struct ImageSetChannel {
    std::string name;
    VersionBounds versions;
};

struct ImageSetPackage {
    std::string name;
    std::vector<ImageSetChannel> channels; // none: the default channel
    VersionBounds versions;                // of the default channel; only without channels
};

struct ImageSetCatalog {
    std::string reference;                 // of its image
    std::string target_repository;         // its path in the mirror; empty: unchanged
    std::string target_tag;                // empty: as at home
    bool full = false;                     // all versions if none are named; else heads of channels
    std::vector<ImageSetPackage> packages; // none: all
};

// Mistakes are errors; unsupported parts (other images, platforms, Helm charts) are warnings.
std::vector<ImageSetCatalog> read_image_set(const SourceFile& file, Diagnostics& diagnostics);

// The selection of `wanted` in the catalog; without packages if it is the whole catalog. Throws RequestError
// for a package, channel or version that does not exist.
// `warnings`: minimums that leave out their own prereleases.
Selection selection_of(const ImageSetCatalog& wanted, const UpgradeGraph& graph,
                       std::vector<std::string>& warnings);

} // namespace opcat
