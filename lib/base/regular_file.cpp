#include "opcat/base/regular_file.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace opcat {
namespace {

Error failure(std::string_view doing, std::string_view name, const std::string& why) {
    return Error(fmt::format("cannot {} {}: {}", doing, name, why));
}

std::string_view kind_of(mode_t mode) {
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

} // namespace

// Not blocking: opening a FIFO must not wait for its other end.
RegularFile::RegularFile(const std::filesystem::path& path, std::string shown)
    : shown_(std::move(shown)),
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (descriptor_ < 0) throw failure("open", shown_, system_message(errno));
    struct stat status {};
    const int error_number = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
    if (error_number == 0 && S_ISREG(status.st_mode)) {
        size_ = static_cast<uint64_t>(status.st_size);
        return;
    }
    ::close(descriptor_);
    throw failure("read", shown_,
                  error_number ? system_message(error_number)
                               : fmt::format("it is {}, not a regular file", kind_of(status.st_mode)));
}

RegularFile::~RegularFile() {
    ::close(descriptor_);
}

size_t RegularFile::read_at(uint64_t offset, std::span<char> buffer) const {
    size_t filled = 0;
    while (filled < buffer.size()) {
        const ssize_t n = ::pread(descriptor_, buffer.data() + filled, buffer.size() - filled,
                                  static_cast<off_t>(offset + filled));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw failure("read", shown_, system_message(errno));
        if (n == 0) break;
        filled += static_cast<size_t>(n);
    }
    return filled;
}

std::string_view RegularFile::next(std::span<char> buffer) {
    const size_t filled = read_at(next_, buffer);
    next_ += filled;
    return {buffer.data(), filled};
}

} // namespace opcat
