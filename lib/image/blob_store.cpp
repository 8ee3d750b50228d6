#include "opcat/image/blob_store.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
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
namespace {

constexpr const char* parts = "parts";
// Less is downloaded again sooner than it is found.
constexpr uint64_t smallest_part = uint64_t{1} << 20;
// An interrupted download is removed if nobody has gone on with it for so long.
constexpr auto longest_interruption = std::chrono::hours(24 * 7);

[[noreturn]] void fail(const fs::path& file) {
    throw Error(fmt::format("cannot write {}: {}", file.string(), system_message(errno)));
}

// A download with a name, so that another run can go on with it after this one is killed.
class Part : public BlobSink {
public:
    // Nothing if another process is downloading the same blob. Throws Error.
    static std::unique_ptr<Part> open(const fs::path& file, const Descriptor& blob,
                                      const std::function<void(uint64_t)>& on_bytes) {
        auto part = std::unique_ptr<Part>(new Part(file, blob, on_bytes));
        return part->lock() ? std::move(part) : nullptr;
    }
    ~Part() override {
        if (locked_ && size() < smallest_part) ::unlink(file_.c_str());
        ::close(descriptor_);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    // Returns true if bytes of an earlier run are part of it.
    bool goes_on() const { return goes_on_; }
    void finish(const fs::path& place) {
        check();
        if (::fchmod(descriptor_, 0600) != 0 || ::rename(file_.c_str(), place.c_str()) != 0) fail(place);
        locked_ = false;
    }

private:
    Part(const fs::path& file, const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes)
        : BlobSink(blob, on_bytes), file_(file),
          descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
        if (descriptor_ < 0) fail(file_);
    }

    bool lock() {
        struct stat here {
        }, named{};
        locked_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor_, &here) == 0 &&
                  ::lstat(file_.c_str(), &named) == 0 &&
                  here.st_ino == named.st_ino; // not finished meanwhile
        if (!locked_) return false;
        const auto begun = static_cast<uint64_t>(here.st_size);
        if (!S_ISREG(here.st_mode) || begun > expected_size()) {
            clear();
            return true;
        }
        std::string buffer(size_t{256} << 10, '\0');
        while (size() < begun) {
            const ssize_t n = ::read(descriptor_, buffer.data(), buffer.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail(file_);
            take_over({buffer.data(), static_cast<size_t>(n)});
        }
        goes_on_ = begun > 0;
        return true;
    }

    void put(std::string_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) fail(file_);
            bytes.remove_prefix(static_cast<size_t>(n));
        }
    }

    void clear() override {
        if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail(file_);
        goes_on_ = false;
    }

    const fs::path file_;
    const int descriptor_;
    bool locked_ = false;
    bool goes_on_ = false;
};

void remove_old_parts(const fs::path& directory) {
    std::error_code failed;
    for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        std::error_code ignored; // another process may have finished or removed it
        const auto written = fs::last_write_time(entry->path(), ignored);
        if (!ignored && fs::file_time_type::clock::now() - written > longest_interruption)
            fs::remove(entry->path(), ignored);
    }
}

} // namespace

BlobStore::BlobStore(const fs::path& directory) : directory_(directory) {
    make_directories(directory);
    lock_ = ::open((directory / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0)
        throw Error(fmt::format("cannot write in {}: {}", directory.string(), system_message(errno)));
    // A process that clears the cache holds it only for a moment, and removes the directories.
    while (::flock(lock_, LOCK_SH) != 0 && errno == EINTR) {
    }
    make_directories(directory / "blobs" / "sha256");
    make_directories(directory / parts);
    remove_old_parts(directory / parts);
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

fs::path BlobStore::file_of(std::string_view digest) const {
    return directory_ / "blobs" / "sha256" / digest.substr(digest.find(':') + 1);
}

bool BlobStore::has(const Descriptor& blob) const {
    std::error_code absent;
    return fs::file_size(file_of(blob.digest), absent) == blob.size && !absent;
}

std::optional<std::string> BlobStore::read(const std::string& digest, uint64_t most) {
    const fs::path file = file_of(digest);
    std::error_code absent;
    const uint64_t size = fs::file_size(file, absent);
    if (absent || size > most || !is_good(file, {.digest = digest, .size = size})) return std::nullopt;
    return std::string(read_file(file, file.string())->bytes());
}

void BlobStore::keep(const std::string& digest, std::string_view bytes) {
    get({.digest = digest, .size = bytes.size()}, {}, [&](BlobSink& file) { file.write(bytes); });
}

fs::path BlobStore::get(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                        const std::function<void(BlobSink&)>& download) {
    fs::path file = file_of(blob.digest);
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
    if (!is_good(file, blob)) fetch(file, blob, on_bytes, download);
    const std::lock_guard lock(mutex_);
    checked_.insert(blob.digest);
    return file;
}

void BlobStore::fetch(const fs::path& file, const Descriptor& blob,
                      const std::function<void(uint64_t)>& on_bytes,
                      const std::function<void(BlobSink&)>& download) const {
    const auto part = Part::open(directory_ / parts / file.filename(), blob, on_bytes);
    if (!part) {
        PartialFile whole(file, blob, on_bytes);
        download(whole);
        return whole.finish(0600, false);
    }
    const auto complete = [&] {
        if (part->size() < part->expected_size()) download(*part);
        part->finish(file);
    };
    try {
        complete();
    } catch (const Error&) {
        const bool whole_but_wrong = part->size() == part->expected_size();
        const bool was_begun_earlier = part->goes_on();
        if (whole_but_wrong) part->restart();
        if (!whole_but_wrong || !was_begun_earlier) throw;
        complete(); // what the earlier run has left was wrong, perhaps
    }
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
    std::error_code absent;
    if (!fs::is_directory(directory, absent)) return {}; // there is no cache
    const int lock = ::open((directory / "lock").c_str(), O_RDWR | O_CLOEXEC | O_CREAT, 0600);
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
    for (const char* part : {"blobs", "images", parts}) {
        std::error_code failed;
        fs::remove_all(directory / part, failed);
        if (failed)
            throw Error(fmt::format("cannot remove {}: {}", (directory / part).string(),
                                    system_message(failed.value())));
    }
    return cleaned;
}

} // namespace opcat::image
