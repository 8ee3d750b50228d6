// Configuration for a cluster, or another machine, to pull from a mirror.
#pragma once

#include "opcat/mirror/graph_image.hpp"
#include "opcat/mirror/plan.hpp"
#include "opcat/mirror/release_signatures.hpp"
#include "opcat/mirror/source_template.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

struct ResourceFile {
    std::string name;
    std::string text;
};

// A catalog in the mirror.
struct MirroredCatalog {
    MirrorName name;
    std::string extract; // the directory of the catalog in an image without opm; empty: it serves itself
    std::optional<SourceTemplate> source = {};
};

// The names of the objects, and more of their fields.
struct ResourceNames {
    std::string catalog = {}; // of the only CatalogSource and ClusterCatalog; empty: after the image
    std::string prefix = {};  // before the name of every object and file; empty: "opcat" in mirror sets
    std::string ns = "openshift-marketplace"; // of CatalogSources
    std::string poll = {};                    // how often clusters look for a new image ("15m"); empty: never
    bool oc_mirror = false; // the names of objects and files, and the mirror sets, of oc-mirror v2

    // Throws RequestError for names that Kubernetes does not take, for one name for several catalogs, and for
    // a time that is not a number of minutes.
    void check(size_t catalogs) const;
};

// What clusters need for the releases of OpenShift in the mirror.
struct ReleaseResources {
    SignatureData signatures;
    std::optional<UpdateService> service;
};

// Sorted by name: an ImageDigestMirrorSet for images that are named by digest, an ImageTagMirrorSet for the
// others, a CatalogSource and a ClusterCatalog for each catalog, a ConfigMap of the signatures of releases if
// there are any, an UpdateService for an image with their graph, and a registries.conf for machines outside
// of OpenShift. `prefix`: the mirror's location, "registry.example/mirror". `names` have been checked.
std::vector<ResourceFile> cluster_resources(const std::vector<MirrorImage>& images,
                                            const std::vector<MirroredCatalog>& catalogs,
                                            const std::string& prefix, const ResourceNames& names = {},
                                            const ReleaseResources& releases = {});

// Those of them whose names follow from `names` alone, without their texts.
std::vector<ResourceFile> expected_resources(const ResourceNames& names);

// Throws RequestError if one of the files is there, and has other objects than the new one, is of another
// catalog, or pulls from another mirror than the one with this prefix. A file without a text stands for any
// object.
void require_own_resources(const std::filesystem::path& directory, const std::vector<ResourceFile>& files,
                           const std::string& prefix);

} // namespace opcat
