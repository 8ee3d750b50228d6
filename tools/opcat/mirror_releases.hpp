// Releases of OpenShift among what is mirrored.
#pragma once

#include "catalog_options.hpp"
#include "opcat/mirror/image_set.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;

// The images of releases alone, or all that releases consist of, which reads them.
enum class ReleaseContents : uint8_t { release_images, all_images };

struct ReleaseFlags {
    std::string graphs;            // a place: update_graph.hpp
    std::string signatures;        // a place: release_signatures.hpp
    std::vector<std::string> keys; // files

    // Throws RequestError for flags that have no meaning without the others, or without mirror.platform.
    void check(bool has_image_set) const;
};

void add_release_flags(Command command, ReleaseFlags& flags);

// Adds the images of the releases that mirror.platform selects of the update graphs to the images of the set,
// with their signatures. Throws Error.
void add_releases(ImageSet& set, const ReleaseFlags& wanted, ReleaseContents contents,
                  const ImageFlags& flags, Session& session);

} // namespace opcat
