// What a cluster, or another machine, needs to pull from a mirror.
#pragma once

#include "opcat/mirror/plan.hpp"

#include <string>
#include <vector>

namespace opcat {

struct ResourceFile {
    std::string name;
    std::string text;
};

// In the order of their names: an ImageDigestMirrorSet for images that are named by digest, an
// ImageTagMirrorSet for the others, a CatalogSource and a ClusterCatalog for each catalog, and a
// registries.conf for what is not a cluster of OpenShift. `prefix`: where the mirror is,
// "registry.example/mirror".
std::vector<ResourceFile> cluster_resources(const std::vector<MirrorImage>& images,
                                            const std::vector<MirrorName>& catalogs,
                                            const std::string& prefix);

} // namespace opcat
