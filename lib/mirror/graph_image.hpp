// The image from which an update service of OpenShift (OSUS) takes which updates are recommended, as
// OpenShift's documentation builds it ("Creating the OpenShift Update Service graph data container image").
#pragma once

#include "opcat/image/image_stores.hpp"
#include "opcat/mirror/item.hpp"
#include "opcat/mirror/plan.hpp"

#include <filesystem>
#include <string>

namespace opcat {

struct GraphImage {
    std::string data;     // the archive with OpenShift's graph data: a file or a URL
    std::string base;     // the name of an image with /bin/bash and cp
    Platforms platforms;  // of the base, if it is an index; none: all
    std::string releases; // the repository of the releases in the mirror, below its prefix; empty: none
};

// Its place in a mirror, as in those of oc-mirror v2.
inline const MirrorName graph_image_name{"openshift/graph-image", "latest"};

// Takes the data along now, into an empty directory, and makes the image when it is read. The stores and the
// directory must outlive the item. Throws Error.
MirrorItem graph_item(const GraphImage& wanted, const MirrorName& name, image::ImageStores& stores,
                      const std::filesystem::path& directory);

// The object that runs the service, as YAML: names of an image and of a repository.
struct UpdateService {
    std::string graph_image;
    std::string releases;
};
std::string update_service(const UpdateService& service, const std::string& name);

} // namespace opcat
