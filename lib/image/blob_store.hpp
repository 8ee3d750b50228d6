// Blobs in a directory: as they arrive, as several processes keep them, and as users look after them.
#pragma once

#include "opcat/base/digest.hpp"
#include "opcat/base/file.hpp"
#include "opcat/image/manifest.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace opcat::image {

class PartialFile {
public:
    // A new file in `directory` for the content that `expected` describes. `on_bytes`, where given, is called
    // with how many bytes are there whenever that changes. Throws Error.
    PartialFile(const std::filesystem::path& directory, const Descriptor& expected,
                std::function<void(uint64_t)> on_bytes);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    uint64_t size() const { return size_; }
    uint64_t expected_size() const { return expected_.size; }

    // Throws Error when there are more bytes than expected, or the file cannot be written.
    void write(std::string_view bytes);
    // Forgets all bytes.
    void restart();
    // Checks size and digest; throws Error. Nothing may be written afterwards but after `restart`.
    void check();
    // Checks, unless that was done, and moves the file to its place.
    void finish(const std::filesystem::path& place);

private:
    const Descriptor expected_;
    const std::function<void(uint64_t)> on_bytes_;
    int descriptor_ = -1;
    ScopedPath scoped_path_;
    uint64_t size_ = 0;
    Sha256 hash_;
    bool checked_ = false;
};

// Blobs by their digests in a directory that several processes may use at once: the cache, or for the time of
// one run a temporary directory.
//
//     DIR/blobs/sha256/HEX   whole and right when they got there; checked again by whoever uses them
//     DIR/partial/           on their way
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
                              const std::function<void(PartialFile&)>& download);

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
