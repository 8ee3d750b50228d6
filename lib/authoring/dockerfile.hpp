// Dockerfiles that make an image of a catalog directory, byte for byte as `opm generate dockerfile` writes
// them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace opcat {

// What opm takes where nothing else is asked for.
inline constexpr std::string_view default_opm_image = "quay.io/operator-framework/opm:latest";

struct Dockerfile {
    std::string directory; // of the catalog, relative to the build context
    // What the image is based on: one with /bin/opm that serves the catalog, or "scratch" for one that holds
    // nothing but the catalog and its cache.
    std::string base_image;
    std::string builder_image; // one with /bin/opm, to make the cache
    std::map<std::string, std::string> labels;
};

// What an image is based on that opcat itself serves, as packaging/Containerfile makes it.
inline constexpr std::string_view default_opcat_image = "localhost/opcat:latest";

// An image whose entry point is opcat: it needs no cache, and its root file system may be read-only.
struct ServingDockerfile {
    std::string directory;  // of the catalog, relative to the build context
    std::string base_image; // one with opcat in its PATH, and with ln
    std::map<std::string, std::string> labels;
};

// The text, with escapes and errors as below. The build fails if the catalog cannot be served.
std::string to_text(const ServingDockerfile& dockerfile);

// The text. Values that a Dockerfile would read as something else (quotes, backslashes, '$', wildcards) are
// escaped, where opm would write a file that means something else or nothing. Throws RequestError for what no
// Dockerfile can say: line breaks in a label, an image that is not one word, a builder image that is
// "scratch".
std::string to_text(const Dockerfile& dockerfile);

} // namespace opcat
