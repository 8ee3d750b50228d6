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

// The text. Values that a Dockerfile would read as something else (quotes, backslashes, '$', wildcards) are
// escaped, where opm would write a file that means something else or nothing. Throws RequestError for what no
// Dockerfile can say: line breaks in a label, an image that is not one word, a builder image that is
// "scratch".
std::string to_text(const Dockerfile& dockerfile);

} // namespace opcat
