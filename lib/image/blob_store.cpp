#include "opcat/image/blob_store.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

namespace opcat::image {

void PartialFile::finish(unsigned permissions, bool sync) {
    check();
    file_.commit(permissions, sync);
}

namespace fs = std::filesystem;

BlobStore::BlobStore(const fs::path& directory) : directory_(directory) {
    make_directories(directory);
    lock_ = ::open((directory / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0)
        throw Error(fmt::format("cannot write in {}: {}", directory.string(), system_message(errno)));
    // A process that clears the cache holds it only for a moment, and removes the directories.
    while (::flock(lock_, LOCK_SH) != 0 && errno == EINTR) {
    }
    make_directories(directory / "blobs" / "sha256");
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
                        const std::function<void(BlobSink&)>& download) {
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
        PartialFile partial(file, blob, on_bytes);
        download(partial);
        partial.finish(0600, false);
    }
    const std::lock_guard lock(mutex_);
    checked_.insert(blob.digest);
    return file;
}

namespace fs = std::filesystem;

namespace {

// A file for each image: its name on the first line, then the digests of its parts.
fs::path names_in(const fs::path& directory) {
    return directory / "images";
}

std::map<std::string, std::set<std::string>, std::less<>> images_by_digest(const fs::path& directory) {
    std::map<std::string, std::set<std::string>, std::less<>> images;
    std::error_code failed;
    for (fs::directory_iterator entry(names_in(directory), failed), end; !failed && entry != end;
         entry.increment(failed)) {
        try {
            const auto file = read_file(entry->path(), entry->path().string(), max_document_size);
            const std::vector<std::string_view> lines = lines_of(file->bytes());
            for (size_t i = 1; i < lines.size(); ++i)
                images[std::string(lines[i])].insert(std::string(lines[0]));
        } catch (const Error&) {
            // Another process has removed it, or it is not ours.
        }
    }
    return images;
}

} // namespace

void name_cached_image(const fs::path& directory, const std::string& image, const Contents& contents) {
    std::string text = image + "\n" + contents.digest + "\n";
    for (const std::string& digest : contents.documents) text += digest + "\n";
    for (const Descriptor& layer : contents.layers) text += layer.digest + "\n";
    try {
        make_directories(names_in(directory));
        write_file(names_in(directory) / sha256_hex(image), text);
    } catch (const Error&) {
        // The image is stored nevertheless.
    }
}

std::vector<CachedBlob> list_cache(const fs::path& directory) {
    std::vector<CachedBlob> blobs;
    const auto images = images_by_digest(directory);
    const fs::path files = directory / "blobs" / "sha256";
    std::error_code failed;
    fs::directory_iterator entries(files, failed);
    if (failed && failed != std::errc::no_such_file_or_directory)
        throw Error(fmt::format("cannot read {}: {}", files.string(), system_message(failed.value())));
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        struct stat status {};
        std::string digest = "sha256:" + entries->path().filename().string();
        if (!is_sha256(digest) || ::stat(entries->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        CachedBlob& blob = blobs.emplace_back();
        blob.digest = std::move(digest);
        blob.size = static_cast<uint64_t>(status.st_size);
        blob.last_used = std::chrono::system_clock::from_time_t(status.st_mtime);
        if (const auto named = images.find(blob.digest); named != images.end())
            blob.images.assign(named->second.begin(), named->second.end());
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
    // The lock file stays: a waiting process must find the same one as later ones.
    for (const char* part : {"blobs", "images"}) {
        std::error_code failed;
        fs::remove_all(directory / part, failed);
        if (failed)
            throw Error(fmt::format("cannot remove {}: {}", (directory / part).string(),
                                    system_message(failed.value())));
    }
    return cleaned;
}

} // namespace opcat::image
