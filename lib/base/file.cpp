#include "opcat/base/file.hpp"

#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file_system.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/regular_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace opcat {

namespace fs = std::filesystem;
namespace {

// The least number of bytes that is worth a thread.
constexpr size_t piece_size = size_t{2} << 20;

} // namespace

std::string system_message(int error_number) {
    std::string message = std::generic_category().message(error_number);
    // Messages are parts of sentences: no capital.
    if (message.size() > 1 && message[0] >= 'A' && message[0] <= 'Z' && message[1] >= 'a')
        message[0] = static_cast<char>(message[0] + 32);
    return message;
}

std::unique_ptr<SourceFile> read_file(const fs::path& path, const std::string& shown, uint64_t max_size,
                                      FileMemory* memory, ThreadPool* pool) {
    const RegularFile file(path, shown);
    const uint64_t size = file.size();
    max_size = std::min(max_size, SourceFile::max_size);
    if (size > max_size)
        throw Error(
            fmt::format("cannot read {}: it has {} bytes, more than the limit of {}", shown, size, max_size));

    const size_t needed = size + SourceFile::padding;
    const auto buffer = memory ? memory->take(needed) : std::make_shared_for_overwrite<char[]>(needed);
    std::vector<size_t> ends((size + piece_size - 1) / piece_size);
    const auto read_piece = [&](size_t i) {
        const size_t begin = i * piece_size;
        ends[i] = begin + file.read_at(begin, {buffer.get() + begin, std::min(piece_size, size - begin)});
    };
    if (pool)
        pool->for_each(ends.size(), read_piece);
    else
        for (size_t i = 0; i < ends.size(); ++i) read_piece(i);
    // If the file became shorter meanwhile, it ends in the first piece that is not full.
    size_t filled = 0;
    for (size_t i = 0; i < ends.size() && filled == i * piece_size; ++i) filled = ends[i];
    std::memset(buffer.get() + filled, 0, SourceFile::padding);
    return std::make_unique<SourceFile>(shown, buffer, filled);
}

namespace {

void write_all(int file, const fs::path& path, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_system_error("write", path.string(), errno);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
}

// A file without a name in the directory, which disappears even when the program is killed. -1 if the file
// system does not support it, or there is no /proc for naming it later.
int open_nameless([[maybe_unused]] const fs::path& directory) {
#ifdef O_TMPFILE
    if (::access("/proc/self/fd", X_OK) == 0)
        return ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#endif
    return -1;
}

// Gives it a name; false if that exists already.
bool link_as(int nameless, const fs::path& path) {
    const std::string self = fmt::format("/proc/self/fd/{}", nameless);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
    if (errno != EEXIST) throw_system_error("write", path.string(), errno);
    return false;
}

} // namespace

unsigned permissions_for(const fs::path& path) {
    struct stat old {};
    if (::lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode)) return old.st_mode & 0777;
    return 0666 & ~current_umask();
}

namespace {

constexpr std::string_view staging_prefix = ".opcat-";
constexpr size_t staging_digits = 8;
constexpr const char* staged_name = "new";
// Every reader of a catalog, opm included, leaves out what it names. The directory's name comes after it in
// the order of bytes, so that no .indexignore file above it has a say.
constexpr const char* rules_name = ".indexignore";
constexpr std::string_view rules_text = "*\n";

// A signal that ends the program adds ".gone" (remove_scoped_paths).
bool is_staging_name(std::string_view name) {
    if (name.ends_with(".gone")) name.remove_suffix(std::string_view(".gone").size());
    return name.size() == staging_prefix.size() + staging_digits && name.starts_with(staging_prefix) &&
           name.find_first_not_of("0123456789abcdef", staging_prefix.size()) == name.npos;
}

// The file first: without the rules it would belong to the catalog.
bool remove_staging(const fs::path& directory) {
    ::unlink((directory / staged_name).c_str());
    ::unlink((directory / rules_name).c_str());
    return ::rmdir(directory.c_str()) == 0;
}

} // namespace

class StagingDirectory {
public:
    // For a file at this path.
    explicit StagingDirectory(const fs::path& place)
        : path_([&] {
              for (;;) {
                  uint32_t random = 0;
                  if (::getentropy(&random, sizeof random) != 0)
                      throw_system_error("write", place.string(), errno);
                  const fs::path path = parent_of(place) / fmt::format("{}{:08x}", staging_prefix, random);
                  if (::mkdir(path.c_str(), 0755) != 0) {
                      if (errno == EEXIST) continue;
                      throw_system_error("write", place.string(), errno);
                  }
                  // Another process may treat it as a leftover before it is locked, and remove it.
                  struct stat status {};
                  if (lock_.take(path) && ::stat(path.c_str(), &status) == 0) return path.string();
                  const int error_number = errno;
                  if (error_number != EWOULDBLOCK && ::rmdir(path.c_str()) == 0)
                      throw_system_error("write", place.string(), error_number);
              }
          }) {
        const fs::path rules = fs::path(path_.path()) / rules_name;
        const FileDescriptor file(::open(rules.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (file.get() < 0) throw_system_error("write", rules.string(), errno);
        write_all(file.get(), rules, rules_text);
    }
    ~StagingDirectory() {
        if (remove_staging(path_.path())) path_.keep();
    }
    StagingDirectory(const StagingDirectory&) = delete;
    StagingDirectory& operator=(const StagingDirectory&) = delete;

    fs::path file() const { return fs::path(path_.path()) / staged_name; }

private:
    DirectoryLock lock_;
    ScopedPath path_;
};

namespace {

// Returns true if a directory holds nothing but what StagingDirectory makes.
bool is_leftover(const fs::path& directory) {
    struct stat status {};
    if (::lstat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
        return false;
    std::error_code failed;
    bool has_rules = false;
    bool has_file = false;
    for (fs::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
        if (!at->is_regular_file(failed) || at->is_symlink(failed)) return false;
        const std::string name = at->path().filename().string();
        if (name != rules_name && name != staged_name) return false;
        has_rules |= name == rules_name;
        has_file |= name == staged_name;
    }
    if (failed || !has_rules) return !failed && !has_file;
    try {
        return rules_text.starts_with(
            read_file(directory / rules_name, rules_name, rules_text.size())->bytes());
    } catch (const Error&) {
        return false;
    }
}

} // namespace

void remove_leftovers(std::span<const fs::path> files) {
    std::set<fs::path> directories;
    for (const fs::path& file : files) directories.insert(parent_of(file));
    std::vector<fs::path> found;
    for (const fs::path& directory : directories) {
        std::error_code failed;
        for (fs::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed))
            if (is_staging_name(at->path().filename().string())) found.push_back(at->path());
    }
    for (const fs::path& path : found) {
        DirectoryLock lock;
        if (lock.take(path) && is_leftover(path)) remove_staging(path);
    }
}

namespace {

// A file of this process that is already open, and that a path names: /dev/stdout, /dev/fd/1,
// /proc/self/fd/1. What such a path leads to is a file that a shell has chosen.
std::optional<int> opened_before(fs::path path) {
    constexpr int most_links = 40; // as the kernel
    for (int links = 0; links < most_links; ++links) {
        std::error_code failed;
        const fs::path parent = fs::canonical(parent_of(path), failed);
        if (failed) return std::nullopt;
        const std::string name = path.filename().string();
        int descriptor = 0;
        if ((parent == fmt::format("/proc/{}/fd", ::getpid()) || parent == "/dev/fd") &&
            std::from_chars(name.data(), name.data() + name.size(), descriptor).ec == std::errc())
            return descriptor;
        const fs::path target = fs::read_symlink(path, failed);
        if (failed) return std::nullopt;
        path = parent / target;
    }
    return std::nullopt;
}

// A new file in the place of a device would end what everybody uses; /dev/stdout is a link.
void require_place_for_file(const fs::path& place) {
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return;
    const bool is_link = S_ISLNK(status.st_mode);
    if (is_link && !opened_before(place)) {
        if (::stat(place.c_str(), &status) != 0)
            throw Error(
                fmt::format("cannot write {}: it is a link to a file that does not exist", place.string()),
                "remove the link, or name the file itself");
        if (S_ISREG(status.st_mode)) return;
    }
    throw Error(fmt::format("cannot write {}: it is not a regular file", place.string()));
}

} // namespace

StagedFile::StagedFile(fs::path place) : place_(std::move(place)) {
    require_place_for_file(place_);
    descriptor_ = open_nameless(parent_of(place_));
    if (descriptor_ >= 0) return;
    staging_ = std::make_unique<StagingDirectory>(place_);
    descriptor_ = ::open(staging_->file().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ < 0) throw_system_error("write", place_.string(), errno);
}

StagedFile::~StagedFile() {
    ::close(descriptor_);
}

void StagedFile::write(std::string_view bytes) {
    write_all(descriptor_, place_, bytes);
}

void StagedFile::clear() {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0)
        throw_system_error("write", place_.string(), errno);
}

void StagedFile::commit(unsigned permissions, bool sync, Leftovers leftovers) {
    // For root, and only as far as the system lets it: what somebody owns is theirs afterwards, too.
    struct stat old {};
    if (::geteuid() == 0 && ::lstat(place_.c_str(), &old) == 0 && S_ISREG(old.st_mode) &&
        ::fchown(descriptor_, old.st_uid, old.st_gid) != 0 && errno != EPERM)
        throw_system_error("write", place_.string(), errno);
    if (::fchmod(descriptor_, permissions) != 0 || (sync && ::fsync(descriptor_) != 0))
        throw_system_error("write", place_.string(), errno);
    if (!staging_ && link_as(descriptor_, place_)) return;
    if (leftovers == Leftovers::remove) remove_leftovers({&place_, 1});
    if (!staging_) {
        staging_ = std::make_unique<StagingDirectory>(place_);
        if (!link_as(descriptor_, staging_->file())) throw_system_error("write", place_.string(), EEXIST);
    }
    if (::rename(staging_->file().c_str(), place_.c_str()) != 0)
        throw_system_error("write", place_.string(), errno);
    staging_.reset();
}

void write_file(const fs::path& path, std::string_view bytes, Leftovers leftovers) {
    const unsigned permissions = permissions_for(path);
    StagedFile file(path);
    file.write(bytes);
    file.commit(permissions, true, leftovers);
}

void require_writable(const fs::path& path) {
    if (opened_before(path))
        throw Error(fmt::format("cannot change {}: it stands for a file that is already open", path.string()),
                    "name the file itself");
    constexpr unsigned writable = S_IWUSR | S_IWGRP | S_IWOTH;
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & writable) == 0)
        throw Error(fmt::format("cannot write {}: it is read-only", path.string()),
                    fmt::format("chmod u+w {}", path.string()));
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(path, failed);
    if (const fs::path directory = real.parent_path();
        !failed && S_ISREG(status.st_mode) && ::access(directory.c_str(), W_OK | X_OK) != 0)
        throw Error(fmt::format("cannot write {}: nothing can be written in its directory: {}", path.string(),
                                system_message(errno)),
                    "a file is replaced as a whole, for which its directory must be writable");
}

void write_output(const fs::path& path, std::string_view bytes, Leftovers leftovers) {
    // At its place in the file, which may be behind what is already there.
    if (const std::optional<int> open = opened_before(path)) return write_all(*open, path, bytes);
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (file.get() < 0) throw_system_error("write", path.string(), errno);
        return write_all(file.get(), path, bytes);
    }
    require_writable(path);
    std::error_code failed;
    const fs::path behind_links = exists ? fs::canonical(path, failed) : path;
    write_file(failed ? path : behind_links, bytes, leftovers);
}

namespace {

constexpr size_t huge_page = size_t{2} << 20;
// Untouched memory costs nothing; at the end of each block up to a huge page is lost.
constexpr size_t block_size = 16 * huge_page;
// Smaller pieces are not worth a huge page that would be mostly empty.
constexpr size_t smallest_piece = size_t{256} << 10;
constexpr size_t alignment = 64;

size_t round_up(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}

std::shared_ptr<char[]> make_block(size_t size) {
    char* const memory = static_cast<char*>(std::aligned_alloc(huge_page, size));
    if (!memory) throw std::bad_alloc();
    std::shared_ptr<char[]> block(memory, std::free);
    advise_huge_pages(memory, size);
    return block;
}

} // namespace

std::shared_ptr<char[]> FileMemory::take(size_t size) {
    if (size < smallest_piece) return std::make_shared_for_overwrite<char[]>(size);
    size = round_up(size, alignment);
    const std::lock_guard lock(mutex_);
    if (size > left_) {
        const size_t block = std::max(block_size, round_up(size, huge_page));
        block_ = make_block(block);
        next_ = block_.get();
        left_ = block;
    }
    char* const piece = next_;
    next_ += size;
    left_ -= size;
    return {block_, piece};
}

void enlarge_pipe([[maybe_unused]] int descriptor) {
#ifdef F_SETPIPE_SZ
    ::fcntl(descriptor, F_SETPIPE_SZ, 1 << 20);
#endif
}

} // namespace opcat
