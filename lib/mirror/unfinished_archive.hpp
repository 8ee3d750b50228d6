// An archive while it is filled: its segments are in PREFIX-unfinished, and what an interrupted run has left
// there is gone on with.
#pragma once

#include "opcat/image/tar_writer.hpp"
#include "opcat/mirror/archive_format.hpp"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace opcat {

// The last segment.
class UnfinishedSegment {
public:
    // Keeps the first `size` bytes of the file, which is made if it is missing. Throws Error.
    UnfinishedSegment(std::filesystem::path file, uint64_t size);
    ~UnfinishedSegment();
    UnfinishedSegment(const UnfinishedSegment&) = delete;
    UnfinishedSegment& operator=(const UnfinishedSegment&) = delete;

    uint64_t size() const { return size_; }
    image::TarWriter& tar() { return tar_; }
    // Its bytes are on the disk then. Throws Error.
    void finish();

private:
    const std::filesystem::path file_;
    int descriptor_;
    uint64_t size_;
    image::TarWriter tar_;
};

// One run has it at a time.
class UnfinishedArchive {
public:
    // For segments of this size; what was left with another size is removed. Throws RequestError if there is
    // an archive of this name, and Error.
    UnfinishedArchive(const std::filesystem::path& prefix, uint64_t segment_size);
    ~UnfinishedArchive(); // removes the directory if nothing in it is worth to be gone on with
    UnfinishedArchive(const UnfinishedArchive&) = delete;
    UnfinishedArchive& operator=(const UnfinishedArchive&) = delete;

    // Also that of a BlobStore.
    const std::filesystem::path& directory() const { return directory_; }
    const std::string& set() const { return set_; } // that its segments belong to

    // What is left, checked: blobs that are there as a whole.
    struct Left {
        std::set<std::string> blobs;
        size_t segments = 0;
        uint64_t bytes = 0;               // of the segments before the last
        std::vector<ArchivePiece> pieces; // of the last one
    };
    // Cuts off what is damaged or incomplete. `last`: the last segment, if there is one. Throws Error.
    Left recover(std::unique_ptr<UnfinishedSegment>& last) const;
    std::unique_ptr<UnfinishedSegment> begin_segment(size_t number) const;

    // Gives the segments their names, the last one last. Throws Error.
    void publish(size_t segments);

private:
    void find_set(uint64_t segment_size);
    void take_back() const;
    void require_no_archive() const;
    std::filesystem::path file_of(size_t number) const;

    const std::filesystem::path prefix_;
    const std::filesystem::path directory_;
    int lock_ = -1;
    std::string set_;
};

} // namespace opcat
