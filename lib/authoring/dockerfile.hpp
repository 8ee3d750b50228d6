// Dockerfiles that make an image of a catalog directory, byte for byte as `opm generate dockerfile` writes
// them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace opcat {

// opm's default.
inline constexpr std::string_view default_opm_image = "quay.io/operator-framework/opm:latest";

struct Dockerfile {
    std::string directory; // of the catalog, relative to the build context
    // The base image: one with /bin/opm that serves the catalog, or "scratch" for an image with only the
    // catalog and its cache.
    std::string base_image;
    std::string builder_image; // one with /bin/opm, which makes the cache
    std::map<std::string, std::string> labels;
};

// The base image that opcat itself serves, as packaging/Containerfile makes it.
inline constexpr std::string_view default_opcat_image = "localhost/opcat:latest";

// An image whose entry point is opcat: it needs no cache, and its root file system may be read-only.
struct ServingDockerfile {
    std::string directory;  // of the catalog, relative to the build context
    std::string base_image; // one with opcat in its PATH, and with ln
    std::map<std::string, std::string> labels;
};

// The text, with the escapes and errors described below. The build fails if the catalog cannot be served.
std::string to_text(const ServingDockerfile& dockerfile);

// The text. Values that a Dockerfile would interpret (quotes, backslashes, '$', wildcards) are escaped; opm
// would write a file that means something else. Throws RequestError for values that a Dockerfile cannot
// express: line breaks in a label, an image with blanks, "scratch" as builder image.
std::string to_text(const Dockerfile& dockerfile);

} // namespace opcat
