#include "opcat/base/staged_directory.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace opcat {
namespace fs = std::filesystem;

// Held on a staged directory by the process that fills it, so that others know that it is no leftover.
struct StagedDirectory::Lock {
    int descriptor = -1;

    Lock() = default;
    ~Lock() { release(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    // Whether the directory was there, and nobody else's.
    bool take(const fs::path& directory) {
        release();
        descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    }
    void release() {
        if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
    }
};

namespace {

[[noreturn]] void fail(const fs::path& target, int error_number) {
    throw Error(
        fmt::format("cannot write the directory {}: {}", target.string(), system_message(error_number)));
}

fs::path parent_of(const fs::path& target) {
    return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// What the staged directories of a target begin with.
std::string prefix_of(const fs::path& target) {
    return "." + target.filename().string() + ".opcat-";
}

mode_t permissions_of_new_directories() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0777 & ~mask;
}

} // namespace

StagedDirectory::StagedDirectory(const fs::path& target)
    : target_(target.has_filename() ? target : target.parent_path()), lock_(std::make_unique<Lock>()),
      scoped_path_([&] {
          const fs::path parent = parent_of(target_);
          std::error_code failed;
          fs::create_directories(parent, failed);
          if (failed) fail(target_, failed.value());
          const std::string prefix = prefix_of(target_);
          for (const auto& beside : fs::directory_iterator(parent, failed)) {
              Lock lock;
              std::error_code ignored;
              if (beside.path().filename().string().starts_with(prefix) && lock.take(beside.path()))
                  fs::remove_all(beside.path(), ignored);
          }
          // Another process may take a new directory for a leftover before it is locked: then it removes it.
          for (;;) {
              std::string pattern = (parent / (prefix + "XXXXXX")).string();
              if (!::mkdtemp(pattern.data())) fail(target_, errno);
              struct stat status {};
              if (lock_->take(pattern) && ::stat(pattern.c_str(), &status) == 0) return pattern;
              const int error_number = errno;
              if (error_number != EWOULDBLOCK && ::rmdir(pattern.c_str()) == 0) fail(target_, error_number);
          }
      }),
      path_(scoped_path_.path()) {}

StagedDirectory::~StagedDirectory() = default;

void StagedDirectory::commit() {
    if (::chmod(path_.c_str(), permissions_of_new_directories()) != 0) fail(target_, errno);
    // A directory that is missing or empty is simply replaced.
    if (std::rename(path_.c_str(), target_.c_str()) == 0) return scoped_path_.keep();
    if (errno != ENOTEMPTY && errno != EEXIST) fail(target_, errno);
    // The old one is ours until it is gone.
    Lock old;
    if (!old.take(target_) ||
        ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
        fail(target_, errno);
    std::swap(old.descriptor, lock_->descriptor);
}

} // namespace opcat
