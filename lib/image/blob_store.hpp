// Blobs in a directory: while they arrive, as a store that several processes share, and as a cache that users
// manage.
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
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::image {

// A blob in a file that does not have its final name yet.
class PartialFile : public BlobSink {
public:
    // Throws Error.
    PartialFile(const std::filesystem::path& place, const Descriptor& expected,
                std::function<void(uint64_t)> on_bytes)
        : BlobSink(expected, std::move(on_bytes)), file_(place) {}

    // Checks it, unless that was done, and gives the file its name; with `sync` it is on the disk before.
    void finish(unsigned permissions, bool sync);

private:
    void put(std::string_view bytes) override { file_.write(bytes); }
    void clear() override { file_.clear(); }

    StagedFile file_;
};

// Blobs by their digests in a directory that several processes may use at once: the cache, or for the time of
// one run a temporary directory.
//
//     DIR/blobs/sha256/HEX   whole and right when they got there; checked again by the readers
//     DIR/parts/HEX          the beginning of a blob whose download was interrupted: the next run goes on
//                            there. Locked by the process that downloads it.
//     DIR/lock               locked shared by users, exclusively by the process that clears up
class BlobStore {
public:
    // Makes the directory if it is missing, and locks it. Throws Error.
    explicit BlobStore(const std::filesystem::path& directory);
    ~BlobStore();
    BlobStore(const BlobStore&) = delete;
    BlobStore& operator=(const BlobStore&) = delete;

    // The file of a blob, which exists at least as long as the store. If it is missing, `download` fills it,
    // and `on_bytes` is called with the number of bytes so far; exceptions of `download` are passed on. If
    // another thread is downloading the blob, waits for it.
    std::filesystem::path get(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                              const std::function<void(BlobSink&)>& download);

    // A blob of at most so many bytes that is there and has its digest; nothing if there is none.
    std::optional<std::string> read(const std::string& digest, uint64_t most);
    // Adds a blob that has been checked.
    void keep(const std::string& digest, std::string_view bytes);
    // Returns true if it is there, with that size; its digest is not checked.
    bool has(const Descriptor& blob) const;

private:
    std::filesystem::path file_of(std::string_view digest) const;
    bool is_good(const std::filesystem::path& file, const Descriptor& blob);
    // Downloads a blob into its file.
    void fetch(const std::filesystem::path& file, const Descriptor& blob,
               const std::function<void(uint64_t)>& on_bytes,
               const std::function<void(BlobSink&)>& download) const;

    const std::filesystem::path directory_;
    int lock_ = -1;
    std::mutex mutex_;
    std::condition_variable done_;
    std::set<std::string> busy_;    // digests that a thread is downloading
    std::set<std::string> checked_; // digests of files that this run has checked
};

// A blob of the cache (Options::cache), for users who manage it.
struct CachedBlob {
    std::string digest;
    uint64_t size = 0;
    std::chrono::system_clock::time_point last_used;
    std::vector<std::string> images; // that use it, by the names under which they were requested, sorted
};

// Records in the cache which blobs an image has, so that `list_cache` can name it. Failures are ignored,
// because only people read it.
void name_cached_image(const std::filesystem::path& directory, const std::string& image,
                       const Contents& contents);

// By the time of the last use, the latest first. Nothing if the cache does not exist. Throws Error.
std::vector<CachedBlob> list_cache(const std::filesystem::path& directory);

struct CleanedCache {
    size_t blobs = 0;
    uint64_t bytes = 0;
};

// Removes the cache. Throws Error if another process uses it, or a file cannot be removed.
CleanedCache clean_cache(const std::filesystem::path& directory);

} // namespace opcat::image
