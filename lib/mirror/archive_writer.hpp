// Writes a mirror into tar segments of a limited size.
#pragma once

#include "opcat/image/image_io.hpp"
#include "opcat/mirror/archive_format.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace opcat {

struct WrittenArchive {
    std::string set;
    size_t segments = 0;
    uint64_t bytes = 0;
    BlobPlaces blobs; // that it has
};

// No segment has its name before `commit`; what an interrupted run has left is gone on with. Thread-safe.
class ArchiveWriter {
public:
    // `carried`: blobs that earlier archives, `after`, have brought. Throws RequestError if there
    // is an archive of this name, or the size is too small.
    ArchiveWriter(const std::filesystem::path& prefix, uint64_t segment_size, BlobPlaces carried,
                  std::vector<std::string> after);
    ~ArchiveWriter();
    ArchiveWriter(const ArchiveWriter&) = delete;
    ArchiveWriter& operator=(const ArchiveWriter&) = delete;

    // The writer of an image; the archive must outlive it.
    std::unique_ptr<image::ImageWriter> writer(std::string name, image::Annotations annotations);
    // Adds an annotation to an image that has been written.
    void annotate(const std::string& image, const char* name, std::string text);
    // Publishes the segments with the images that have been written. Throws Error.
    WrittenArchive commit();

private:
    class Writer;
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat
