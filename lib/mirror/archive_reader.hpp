// Reads an archive of a mirror, which may come from anybody: nothing of it is written to the disk.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/image/image_io.hpp"

#include <filesystem>
#include <memory>
#include <vector>

namespace opcat {

class ArchiveReader {
public:
    // `registry`: the prefix of the mirror to which it goes; empty for others. Reads all segments and
    // compares all digests. Throws Error that names every segment that is missing or damaged.
    ArchiveReader(std::filesystem::path prefix, const std::string& registry, ThreadPool& pool);
    ~ArchiveReader();
    ArchiveReader(const ArchiveReader&) = delete;
    ArchiveReader& operator=(const ArchiveReader&) = delete;

    const std::vector<image::IndexEntry>& images() const;
    // The archive must outlive it.
    std::unique_ptr<image::ImageReader> reader(const image::Descriptor& manifest) const;

private:
    class Reader;
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat
