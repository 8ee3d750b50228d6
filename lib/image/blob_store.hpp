// Blobs by their digests in a directory that several processes may use at once: the cache, or for the time of
// one run a temporary directory.
//
//     DIR/blobs/sha256/HEX   whole and right when they got there; checked again by whoever uses them
//     DIR/partial/           on their way
//     DIR/lock               locked shared by users, exclusively by whoever clears up
#pragma once

#include "image/manifest.hpp"
#include "image/partial_file.hpp"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>

namespace opcat::image {

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

} // namespace opcat::image
