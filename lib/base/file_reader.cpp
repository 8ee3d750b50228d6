#include "opcat/base/file_reader.hpp"

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

Error cannot_read(const std::filesystem::path& path, const std::string& why) {
    return Error(fmt::format("cannot read {}: {}", path.string(), why));
}

} // namespace

// Not blocking: opening a FIFO must not wait for its other end.
FileReader::FileReader(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (descriptor_ < 0) throw cannot_read(path_, system_message(errno));
    struct stat status {};
    const int error_number = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
    if (error_number == 0 && S_ISREG(status.st_mode)) {
        size_ = static_cast<uint64_t>(status.st_size);
        return;
    }
    ::close(descriptor_);
    throw cannot_read(path_, error_number ? system_message(error_number) : "it is not a regular file");
}

FileReader::~FileReader() {
    ::close(descriptor_);
}

std::string_view FileReader::next(std::span<char> buffer) {
    size_t filled = 0;
    while (filled < buffer.size()) {
        const ssize_t n = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw cannot_read(path_, system_message(errno));
        if (n == 0) break;
        filled += static_cast<size_t>(n);
    }
    return {buffer.data(), filled};
}

} // namespace opcat
