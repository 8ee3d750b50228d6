// The images that a bundle needs.
#pragma once

#include "bundle/manifests.hpp"

namespace opcat {

// The relatedImages of the ClusterServiceVersion as they stand there, the bundle's own image (unless empty),
// and those of the containers in its deployments that are not yet among them.
std::vector<RelatedImage> related_images(const ClusterServiceVersion& csv, std::string_view bundle_image);

} // namespace opcat
