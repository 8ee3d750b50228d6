#include "opcat/base/directories.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/file_system.hpp"
#include "opcat/base/platform.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace opcat {

namespace fs = std::filesystem;

namespace {

// The only state of the whole process in the library: a signal handler needs it, too.
struct Live {
    std::mutex mutex;
    std::vector<std::string> paths;
};

Live& live() {
    static Live* const all = new Live; // never destroyed: threads may still run when statics are
    return *all;
}

void remove(const std::string& path) {
    // A retry may succeed after a temporary failure; otherwise nothing can be done or reported.
    for (int attempts = 0; attempts < 2; ++attempts) {
        std::error_code failed;
        fs::remove_all(path, failed);
        if (!failed) return;
    }
}

void forget(const std::string& path) {
    const std::lock_guard lock(live().mutex);
    std::erase(live().paths, path);
}

} // namespace

ScopedPath::ScopedPath(const std::function<std::string()>& make) {
    // Under the lock, so that a signal always finds it registered.
    const std::lock_guard lock(live().mutex);
    live().paths.reserve(live().paths.size() + 1);
    path_ = make();
    live().paths.push_back(path_);
}

ScopedPath::~ScopedPath() {
    if (!kept_) remove(path_);
    forget(path_);
}

void ScopedPath::keep() {
    kept_ = true;
}

void remove_scoped_paths() {
    live().mutex.lock(); // and never unlocked
    for (const std::string& path : live().paths) {
        // Other threads may still create files in it. After the rename they cannot, and everything is
        // removed.
        const std::string gone = path + ".gone";
        std::error_code failed;
        fs::rename(path, gone, failed);
        remove(failed ? path : gone);
    }
}

void make_directories(const fs::path& path) {
    std::error_code failed;
    fs::create_directories(path, failed);
    if (failed) throw_system_error("make the directory", path.string(), failed.value());
}

namespace {

constexpr std::string_view temporary_prefix = "opcat-";
constexpr size_t temporary_digits = 6;
constexpr const char* temporary_mark = "made-by-opcat";

// A new directory of this pattern, locked. Throws Error, which says that `what` could not be done.
std::string make_locked(const std::string& pattern, DirectoryLock& lock, const char* what,
                        const std::string& on) {
    // Another process may treat a new directory as a leftover before it is locked, and remove it.
    for (;;) {
        std::string path = pattern;
        if (!::mkdtemp(path.data())) throw_system_error(what, on, errno);
        struct stat status {};
        if (lock.take(path) && ::stat(path.c_str(), &status) == 0) return path;
        const int error_number = errno;
        if (error_number != EWOULDBLOCK && ::rmdir(path.c_str()) == 0)
            throw_system_error(what, on, error_number);
    }
}

} // namespace

TemporaryDirectory::TemporaryDirectory(const fs::path& parent)
    : lock_(std::make_unique<DirectoryLock>()), scoped_path_([&] {
          return make_locked((parent / (std::string(temporary_prefix) + "XXXXXX")).string(), *lock_,
                             "make a temporary directory in", parent.string());
      }),
      path_(fs::path(scoped_path_.path()) / "content") {
    const FileDescriptor mark(::open((fs::path(scoped_path_.path()) / temporary_mark).c_str(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (mark.get() < 0 || ::mkdir(path_.c_str(), 0700) != 0)
        throw_system_error("make a temporary directory in", parent.string(), errno);
}

TemporaryDirectory::TemporaryDirectory(std::shared_ptr<const TemporaryDirectory> within)
    : within_(std::move(within)), scoped_path_([&] {
          std::string pattern = (within_->path() / "XXXXXX").string();
          if (!::mkdtemp(pattern.data()))
              throw_system_error("make a temporary directory in", within_->path().string(), errno);
          return pattern;
      }),
      path_(scoped_path_.path()) {}

TemporaryDirectory::~TemporaryDirectory() = default;

void remove_abandoned_directories(const fs::path& parent) {
    std::error_code failed;
    for (fs::directory_iterator at(parent, failed), end; !failed && at != end; at.increment(failed)) {
        std::string name = at->path().filename().string();
        // A signal that ended the program has added this (remove_scoped_paths).
        if (name.ends_with(".gone")) name.resize(name.size() - std::string_view(".gone").size());
        struct stat status {};
        if (!name.starts_with(temporary_prefix) ||
            name.size() != temporary_prefix.size() + temporary_digits ||
            ::lstat((at->path() / temporary_mark).c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
            status.st_uid != ::geteuid())
            continue;
        DirectoryLock lock;
        std::error_code ignored;
        if (lock.take(at->path())) fs::remove_all(at->path(), ignored);
    }
}

namespace {

// The prefix of a target's staged directories.
std::string prefix_of(const fs::path& target) {
    return "." + target.filename().string() + ".opcat-";
}

} // namespace

StagedDirectory::StagedDirectory(const fs::path& target)
    : target_(target.has_filename() ? target : target.parent_path()),
      lock_(std::make_unique<DirectoryLock>()), scoped_path_([&] {
          const fs::path parent = parent_of(target_);
          std::error_code failed;
          fs::create_directories(parent, failed);
          if (failed) throw_system_error("write the directory", target_.string(), failed.value());
          const std::string prefix = prefix_of(target_);
          for (const auto& sibling : fs::directory_iterator(parent, failed)) {
              DirectoryLock lock;
              std::error_code ignored;
              if (sibling.path().filename().string().starts_with(prefix) && lock.take(sibling.path()))
                  fs::remove_all(sibling.path(), ignored);
          }
          return make_locked((parent / (prefix + "XXXXXX")).string(), *lock_, "write the directory",
                             target_.string());
      }),
      path_(scoped_path_.path()) {}

StagedDirectory::~StagedDirectory() = default;

void StagedDirectory::commit() {
    if (::chmod(path_.c_str(), 0777 & ~current_umask()) != 0)
        throw_system_error("write the directory", target_.string(), errno);
    // A directory that is missing or empty is simply replaced.
    if (std::rename(path_.c_str(), target_.c_str()) == 0) return scoped_path_.keep();
    if (errno != ENOTEMPTY && errno != EEXIST)
        throw_system_error("write the directory", target_.string(), errno);
    // Keeps the old one locked until it is removed.
    DirectoryLock old;
    if (!old.take(target_) || !swap_paths(path_, target_))
        throw_system_error("write the directory", target_.string(), errno);
    old.swap(*lock_);
}

} // namespace opcat
