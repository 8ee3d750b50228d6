// Decides what a reference is, by its form and by what exists. This is the only place that does.
#pragma once

#include "opcat/image/name.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace opcat {

// The program whose habits apply. opm takes a short name ("repository:tag") for an image, requires a tag or a
// digest, and knows neither standard input nor git.
enum class Manner : uint8_t { opcat, opm };

enum class ReferenceKind : uint8_t {
    path,     // a file or a directory, whether it is there or not
    image,    // quay.io/org/repo:tag, docker://…, oci:DIR[:TAG], oci-archive:FILE, docker-archive:FILE
    revision, // git:REVISION:PATH, what a commit has at a path of the repository
};

// Returns the kind of a reference: an existing file or directory is a path, unless the transport of images is
// written.
ReferenceKind kind_of(const std::string& reference, Manner manner = Manner::opcat);

// Returns true if a reference is to be pulled, rather than read from a path.
bool names_image(const std::string& reference, Manner manner = Manner::opcat);

// The image of a reference that can be nothing else. Throws RequestError, also for a name without a registry:
// a mistyped directory must not become a request to Docker Hub.
image::Name named_image(const std::string& reference);
// The same for an image that is written: under a tag or a digest, not both.
image::Name named_target(const std::string& reference);

// The file or directory that a reference names, also that of a layout or an archive; empty for an image in a
// registry and for a revision.
std::filesystem::path local_path_of(const std::string& reference, Manner manner = Manner::opcat);

// Throws Error for a path that does not exist, with what the user may have meant.
void require_existing(const std::string& reference, Manner manner = Manner::opcat);

// "git:REVISION:PATH". The path is relative to the top of the repository that holds the working directory,
// or, if it begins with "./" or "../", to the working directory, as in git; then, and if it is absolute, the
// repository is the one that the path is in.
struct Revision {
    std::string revision;
    std::string path;

    // Throws RequestError for a text that names no revision or no path.
    static Revision parse(const std::string& reference);
};

} // namespace opcat
