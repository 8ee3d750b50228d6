#include "image/cache.hpp"

#include "support/error.hpp"
#include "support/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace opcat::image {
namespace fs = std::filesystem;

std::vector<CachedBlob> list_cache(const fs::path& directory) {
    std::vector<CachedBlob> blobs;
    const fs::path files = directory / "blobs" / "sha256";
    std::error_code failed;
    fs::directory_iterator entries(files, failed);
    if (failed && failed != std::errc::no_such_file_or_directory)
        throw Error(fmt::format("cannot read {}: {}", files.string(), system_message(failed.value())));
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        struct stat status {};
        if (::stat(entries->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        blobs.push_back({"sha256:" + entries->path().filename().string(),
                         static_cast<uint64_t>(status.st_size),
                         std::chrono::system_clock::from_time_t(status.st_mtime)});
    }
    std::sort(blobs.begin(), blobs.end(), [](const CachedBlob& a, const CachedBlob& b) {
        return a.last_used != b.last_used ? a.last_used > b.last_used : a.digest < b.digest;
    });
    return blobs;
}

CleanedCache clean_cache(const fs::path& directory) {
    const int lock = ::open((directory / "lock").c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0 && errno == ENOENT) return {}; // there is no cache
    if (lock < 0)
        throw Error(fmt::format("cannot open {}: {}", (directory / "lock").string(), system_message(errno)));
    struct Close {
        int descriptor;
        explicit Close(int d) : descriptor(d) {}
        Close(const Close&) = delete;
        Close& operator=(const Close&) = delete;
        ~Close() { ::close(descriptor); }
    } const close(lock);
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0)
        throw Error(fmt::format("cannot clean {}: another program is using it", directory.string()),
                    "try again when it has ended");

    CleanedCache cleaned;
    for (const CachedBlob& blob : list_cache(directory)) {
        ++cleaned.blobs;
        cleaned.bytes += blob.size;
    }
    // The lock stays: a process that waits for it must find the same one as those that come later.
    for (const char* part : {"blobs", "partial"}) {
        std::error_code failed;
        fs::remove_all(directory / part, failed);
        if (failed)
            throw Error(fmt::format("cannot remove {}: {}", (directory / part).string(),
                                    system_message(failed.value())));
    }
    return cleaned;
}

} // namespace opcat::image
