// Images in local files and directories.
#pragma once

#include "opcat/base/directories.hpp"
#include "opcat/image/image_io.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/options.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace opcat::image {

class ArchiveDirectory {
public:
    // Unpacks all of `file` below Options::temporary, up to Options::max_unpacked_size. Throws Error.
    ArchiveDirectory(const std::filesystem::path& file, const Options& options);

    std::filesystem::path root() const { return directory_.path() / "root"; }

private:
    TemporaryDirectory directory_;
};

// All throw Error with a reason that does not name the image.

// A directory of the OCI image layout specification. `tag` is the name of one of its images (the annotation
// org.opencontainers.image.ref.name); it may be empty if there is only one.
std::unique_ptr<Source> open_oci_layout(const std::filesystem::path& directory, const std::string& tag,
                                        const PlatformChoice& platform);

// A layout in a tar archive.
std::unique_ptr<Source> open_oci_archive(const std::filesystem::path& file, const std::string& tag,
                                         const Options& options);

// The format of `docker save`. `tag` is "REPOSITORY:TAG", or the tag alone; it may be empty if there is only
// one image.
std::unique_ptr<Source> open_docker_archive(const std::filesystem::path& file, const std::string& tag,
                                            const Options& options);

// The same images for byte-exact reading. For the format of `docker save`, with an OCI manifest that is made
// for the configuration and layers.
std::unique_ptr<ImageReader> read_oci_layout(const std::filesystem::path& directory, const std::string& tag);
std::unique_ptr<ImageReader> read_oci_layout(const std::filesystem::path& directory,
                                             const Descriptor& manifest);
std::unique_ptr<ImageReader> read_oci_archive(const std::filesystem::path& file, const std::string& tag,
                                              const Options& options);
std::unique_ptr<ImageReader> read_docker_archive(const std::filesystem::path& file, const std::string& tag,
                                                 const Options& options);

} // namespace opcat::image
