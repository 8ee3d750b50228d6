// Releases of OpenShift among what is mirrored.
#pragma once

#include "catalog_options.hpp"
#include "opcat/mirror/graph_image.hpp"
#include "opcat/mirror/image_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;

// The images of releases alone; or all that releases consist of, which reads them, with their names at home
// or those of oc-mirror.
enum class ReleaseContents : uint8_t { releases, all_images, all_as_oc_mirror };

struct ReleaseFlags {
    std::string graphs;            // a place: update_graph.hpp
    std::string signatures;        // a place: release_signatures.hpp
    std::vector<std::string> keys; // files
    std::string graph_data;        // a file or a URL: graph_image.hpp
    std::string graph_base;        // the name of an image; empty: a usual one

    // Throws RequestError for flags that have no meaning without the others.
    void check() const;
    // Throws RequestError if there is any; `why`: the hint.
    void refuse(const char* why) const;
};

void add_release_flags(Command command, ReleaseFlags& flags);

// The image of an update service, if mirror.platform asks for it, for the releases that have been added.
std::optional<GraphImage> graph_image_of(const ImageSet& set, const ReleaseFlags& wanted, Session& session);

// Adds the images of the releases that mirror.platform selects of the update graphs to the images of the set,
// with their signatures. Throws RequestError if a flag is missing for what it asks for, and Error.
void add_releases(ImageSet& set, const ReleaseFlags& wanted, ReleaseContents contents,
                  const ImageFlags& flags, Session& session);

} // namespace opcat
