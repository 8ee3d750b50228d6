// Blobs in a directory: as they arrive, as several processes keep them, and as users look after them.
#pragma once

#include "opcat/base/file.hpp"
#include "opcat/image/blob_sink.hpp"
#include "opcat/image/manifest.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace opcat::image {

// A blob in a file that is on its way to its place.
class PartialFile : public BlobSink {
public:
    // Throws Error.
    PartialFile(const std::filesystem::path& place, const Descriptor& expected,
                std::function<void(uint64_t)> on_bytes)
        : BlobSink(expected, std::move(on_bytes)), file_(place) {}

    // Checks, unless that was done, and puts the file in its place; with `sync` it is on the disk before.
    void finish(unsigned permissions, bool sync);

private:
    void put(std::string_view bytes) override { file_.write(bytes); }
    void clear() override { file_.clear(); }

    StagedFile file_;
};

// Blobs by their digests in a directory that several processes may use at once: the cache, or for the time of
// one run a temporary directory.
//
//     DIR/blobs/sha256/HEX   whole and right when they got there; checked again by whoever uses them
//     DIR/lock               locked shared by users, exclusively by whoever clears up
class BlobStore {
public:
    // Makes the directory if need be, and keeps it locked. Throws Error.
    explicit BlobStore(const std::filesystem::path& directory);
    ~BlobStore();
    BlobStore(const BlobStore&) = delete;
    BlobStore& operator=(const BlobStore&) = delete;

    // The file of a blob, which stays at least as long as the store. Where it is not there already,
    // `download` fills it, and `on_bytes` is called with how much has come; what `download` throws is passed
    // on. A thread that wants what another is downloading waits for it.
    std::filesystem::path get(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                              const std::function<void(BlobSink&)>& download);

private:
    bool is_good(const std::filesystem::path& file, const Descriptor& blob);

    const std::filesystem::path directory_;
    int lock_ = -1;
    std::mutex mutex_;
    std::condition_variable done_;
    std::set<std::string> busy_;    // digests that a thread works on
    std::set<std::string> checked_; // digests of files that were found right in this run
};

// A blob of the cache (Options::cache), for users who look after it.
struct CachedBlob {
    std::string digest;
    uint64_t size = 0;
    std::chrono::system_clock::time_point last_used;
    std::vector<std::string> images; // that it is part of, as they were asked for, by name
};

// Notes in the cache what the image consists of, so that `list_cache` can name it. What cannot be written is
// left out: it is for people only.
void name_cached_image(const std::filesystem::path& directory, const std::string& image,
                       const Contents& contents);

// By the time of the last use, the latest first. Nothing if the cache does not exist. Throws Error.
std::vector<CachedBlob> list_cache(const std::filesystem::path& directory);

struct CleanedCache {
    size_t blobs = 0;
    uint64_t bytes = 0;
};

// Removes all of it. Throws Error when another process is using it, or a file cannot be removed.
CleanedCache clean_cache(const std::filesystem::path& directory);

} // namespace opcat::image
