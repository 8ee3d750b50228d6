// Configuration for a cluster, or another machine, to pull from a mirror.
#pragma once

#include "opcat/mirror/plan.hpp"

#include <string>
#include <vector>

namespace opcat {

struct ResourceFile {
    std::string name;
    std::string text;
};

// Sorted by name: an ImageDigestMirrorSet for images that are named by digest, an ImageTagMirrorSet for the
// others, a CatalogSource and a ClusterCatalog for each catalog, and a registries.conf for machines outside
// of OpenShift. `prefix`: the mirror's location, "registry.example/mirror".
std::vector<ResourceFile> cluster_resources(const std::vector<MirrorImage>& images,
                                            const std::vector<MirrorName>& catalogs,
                                            const std::string& prefix);

} // namespace opcat
