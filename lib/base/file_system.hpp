// What files and directories share. Not for others.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace opcat {

class FileDescriptor {
public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    ~FileDescriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    int get() const { return fd_; }

private:
    int fd_;
};

[[noreturn]] inline void throw_system_error(std::string_view doing, std::string_view name, int error_number) {
    throw Error(fmt::format("cannot {} {}: {}", doing, name, system_message(error_number)));
}

// POSIX has no other way to read it than to change it.
inline mode_t current_umask() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return mask;
}

inline std::filesystem::path parent_of(const std::filesystem::path& target) {
    return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

// Locks a directory for the process that fills it, so that others do not treat it as a leftover.
class DirectoryLock {
public:
    DirectoryLock() = default;
    ~DirectoryLock() { release(); }
    DirectoryLock(const DirectoryLock&) = delete;
    DirectoryLock& operator=(const DirectoryLock&) = delete;

    // Returns true if the directory exists and nobody else holds it.
    bool take(const std::filesystem::path& directory) {
        release();
        descriptor_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    }
    void swap(DirectoryLock& other) { std::swap(descriptor_, other.descriptor_); }

private:
    void release() {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }
    int descriptor_ = -1;
};

} // namespace opcat
