// Reads the names that users give images in all kinds of storage.
#pragma once

#include "opcat/base/pull_spec.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat::image {

enum class Transport {
    registry,       // quay.io/org/repo:tag, docker://quay.io/org/repo@sha256:…
    oci_layout,     // oci:DIRECTORY[:TAG]
    oci_archive,    // oci-archive:FILE[:TAG]
    docker_archive, // docker-archive:FILE[:TAG or REPOSITORY:TAG]
};

struct Name {
    Transport transport = Transport::registry;
    std::string text;             // as it was given
    std::optional<PullSpec> spec; // set for registries only
    std::string path;             // the others
    std::string tag;              // the others; may be empty

    static Parsed<Name> parse(std::string_view text);

    // Returns true if the prefix of the text says that it names an image, and not a file or directory.
    static bool has_transport(std::string_view text);
};

} // namespace opcat::image
