// Writes images to local OCI layouts and archives.
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

// Into a directory of the OCI image layout specification, which is made if it is missing, next to the images
// there. `tag` is the annotation org.opencontainers.image.ref.name of the image, which replaces another of
// that name, and may be empty; `annotations` are others. Several writers and processes may write to one
// directory at once. Throws Error for a directory with other content, and for links in place of its parts.
std::unique_ptr<ImageWriter> write_to_oci_layout(const std::filesystem::path& directory, std::string tag,
                                                 Annotations annotations = {});

// For many images: a layout whose index is read and written only once. Thread-safe.
class LayoutBatch {
public:
    // Throws Error.
    explicit LayoutBatch(std::filesystem::path directory);

    const std::filesystem::path& directory() const { return directory_; }
    const std::vector<IndexEntry>& before() const { return before_; } // what was there at the beginning
    // Marks the layout as unfinished until `finish`: an interrupted run leaves the mark. Throws Error.
    void begin();
    // Adds the names of the images that the writers have written. Throws Error.
    void commit();
    void finish(); // throws Error

private:
    friend class LayoutWriter;
    void add(std::string tag, std::string entry);

    const std::filesystem::path directory_;
    const std::vector<IndexEntry> before_;
    std::mutex mutex_;
    std::map<std::string, std::string> added_; // entries of the index as JSON, by tag
};

// Returns true if a batch has begun to fill the layout and has not finished.
bool is_unfinished_layout(const std::filesystem::path& directory);

// The batch must outlive the writer.
std::unique_ptr<ImageWriter> write_to_oci_layout(LayoutBatch& batch, std::string tag,
                                                 Annotations annotations);

// The images of a layout; none if the directory does not exist. Throws Error.
std::vector<IndexEntry> list_oci_layout(const std::filesystem::path& directory);

// Sets an annotation of the images of these names. Throws Error.
void annotate_in_oci_layout(const std::filesystem::path& directory, const char* annotation,
                            const std::map<std::string, std::string>& values);

struct RemovedFromLayout {
    size_t blobs = 0;
    uint64_t bytes = 0;
};
// Removes the images of these names, and then all blobs that no other image has: files that are named as
// blobs, and nothing else. Throws Error.
RemovedFromLayout remove_from_oci_layout(const std::filesystem::path& directory,
                                         const std::vector<std::string>& tags);

// Into an archive of one image, which replaces an archive of the same kind there when it is complete. Throws
// Error for a file of another kind.
std::unique_ptr<ImageWriter> write_to_oci_archive(const std::filesystem::path& file, std::string tag,
                                                  const Options& options);
// One for `docker load`, with uncompressed layers. `tag`: "REPOSITORY:TAG".
std::unique_ptr<ImageWriter> write_to_docker_archive(const std::filesystem::path& file, std::string tag,
                                                     const Options& options);

} // namespace opcat::image
