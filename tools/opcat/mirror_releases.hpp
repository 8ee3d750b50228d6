// Releases of OpenShift among what is mirrored.
#pragma once

#include "catalog_options.hpp"
#include "opcat/mirror/image_set.hpp"

#include <cstdint>
#include <string>

namespace opcat {

class Session;

// The images of releases alone, or all that releases consist of, which reads them.
enum class ReleaseContents : uint8_t { release_images, all_images };

// Adds the images of the releases that mirror.platform selects of the update graphs at a place
// (update_graph.hpp) to the images of the set. Throws Error.
void add_releases(ImageSet& set, const std::string& graphs, ReleaseContents contents, const ImageFlags& flags,
                  Session& session);

} // namespace opcat
