#include "image/blob_store.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace opcat::image {
namespace fs = std::filesystem;

BlobStore::BlobStore(const fs::path& directory) : directory_(directory) {
    const auto make = [](const fs::path& path) {
        std::error_code failed;
        fs::create_directories(path, failed);
        if (failed)
            throw Error(fmt::format("cannot make {}: {}", path.string(), system_message(failed.value())));
    };
    make(directory);
    lock_ = ::open((directory / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0)
        throw Error(fmt::format("cannot write in {}: {}", directory.string(), system_message(errno)));
    // Whoever clears up holds it for a moment only, and takes the folders away.
    while (::flock(lock_, LOCK_SH) != 0 && errno == EINTR) {
    }
    make(directory / "blobs" / "sha256");
    make(directory / "partial");
}

BlobStore::~BlobStore() {
    ::close(lock_);
}

bool BlobStore::is_good(const fs::path& file, const Descriptor& blob) {
    std::error_code absent;
    if (fs::file_size(file, absent) != blob.size || absent) return false;
    {
        const std::lock_guard lock(mutex_);
        if (checked_.contains(blob.digest)) return true;
    }
    if (file_digest(file) != blob.digest) return false;
    fs::last_write_time(file, fs::file_time_type::clock::now(), absent); // when it was last of use
    return true;
}

fs::path BlobStore::get(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                        const std::function<void(PartialFile&)>& download) {
    fs::path file = directory_ / "blobs" / "sha256" / blob.digest.substr(blob.digest.find(':') + 1);
    {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return !busy_.contains(blob.digest); });
        busy_.insert(blob.digest);
    }
    struct Turn {
        BlobStore& store;
        const std::string& digest;
        Turn(BlobStore& of, const std::string& what) : store(of), digest(what) {}
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() {
            {
                const std::lock_guard lock(store.mutex_);
                store.busy_.erase(digest);
            }
            store.done_.notify_all();
        }
    };
    const Turn turn(*this, blob.digest);
    if (!is_good(file, blob)) {
        PartialFile partial(directory_ / "partial", blob, on_bytes);
        download(partial);
        partial.finish(file);
    }
    const std::lock_guard lock(mutex_);
    checked_.insert(blob.digest);
    return file;
}

} // namespace opcat::image
