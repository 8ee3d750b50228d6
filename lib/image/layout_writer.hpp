// Images into OCI layouts and archives on this machine.
#pragma once

#include "opcat/image/image_io.hpp"
#include "opcat/image/options.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace opcat::image {

// Into a directory as the OCI image layout specification has it, which is made if need be, next to the images
// that it has. `tag` is the annotation org.opencontainers.image.ref.name of the image there, which takes the
// place of another of that name, and may be empty; `annotations` are others. Several writers and processes
// may write to one directory at once. Throws Error for a directory with something else in it.
std::unique_ptr<ImageWriter> write_to_oci_layout(const std::filesystem::path& directory, std::string tag,
                                                 Annotations annotations = {});

// For many images: a layout whose index is read once, and written once. May be used by several threads.
class LayoutBatch {
public:
    // Throws Error.
    explicit LayoutBatch(std::filesystem::path directory);

    const std::filesystem::path& directory() const { return directory_; }
    // What the writers have put there gets its names. Throws Error.
    void commit();

private:
    friend class LayoutWriter;
    void add(std::string tag, std::string entry);

    const std::filesystem::path directory_;
    const std::vector<IndexEntry> before_;
    std::mutex mutex_;
    std::map<std::string, std::string> added_; // entries of the index as JSON, by tag
};

// The batch must outlive the writer.
std::unique_ptr<ImageWriter> write_to_oci_layout(LayoutBatch& batch, std::string tag,
                                                 Annotations annotations);

// The images of a layout; none if there is no such directory. Throws Error.
std::vector<IndexEntry> list_oci_layout(const std::filesystem::path& directory);

struct RemovedFromLayout {
    size_t blobs = 0;
    uint64_t bytes = 0;
};
// Removes the images of these names, and then all blobs that none of the others has. Throws Error.
RemovedFromLayout remove_from_oci_layout(const std::filesystem::path& directory,
                                         const std::vector<std::string>& tags);

// Into an archive of one image, which takes the place of the file there when it is complete.
std::unique_ptr<ImageWriter> write_to_oci_archive(const std::filesystem::path& file, std::string tag,
                                                  const Options& options);
// One that `docker load` reads, with its layers unpacked. `tag`: "REPOSITORY:TAG".
std::unique_ptr<ImageWriter> write_to_docker_archive(const std::filesystem::path& file, std::string tag,
                                                     const Options& options);

} // namespace opcat::image
