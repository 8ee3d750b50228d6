#include "support/file.hpp"

#include "support/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace opcat {
namespace fs = std::filesystem;
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    int close() { return ::close(std::exchange(fd_, -1)); }

private:
    int fd_;
};

[[noreturn]] void fail(std::string_view doing, std::string_view name, int error_number) {
    throw Error(fmt::format("cannot {} {}: {}", doing, name, system_message(error_number)));
}

std::string_view kind_of(mode_t mode) {
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

} // namespace

std::string system_message(int error_number) {
    std::string message = std::generic_category().message(error_number);
    // As the rest of the sentence: no capital.
    if (message.size() > 1 && message[0] >= 'A' && message[0] <= 'Z' && message[1] >= 'a')
        message[0] = static_cast<char>(message[0] + 32);
    return message;
}

std::unique_ptr<SourceFile> read_file(const fs::path& path, const std::string& shown, uint64_t max_size) {
    // Not blocking: opening a FIFO must not wait for its other end.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) fail("open", shown, errno);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) fail("read", shown, errno);
    if (!S_ISREG(status.st_mode))
        throw Error(
            fmt::format("cannot read {}: it is {}, not a regular file", shown, kind_of(status.st_mode)));
    const auto size = static_cast<uint64_t>(status.st_size);
    max_size = std::min(max_size, SourceFile::max_size);
    if (size > max_size)
        throw Error(
            fmt::format("cannot read {}: it has {} bytes, more than the limit of {}", shown, size, max_size));

    std::unique_ptr<char[]> buffer(new char[size + SourceFile::padding]);
    size_t filled = 0;
    while (filled < size) {
        const ssize_t n = ::read(file.get(), buffer.get() + filled, size - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("read", shown, errno);
        if (n == 0) break; // it shrank meanwhile
        filled += static_cast<size_t>(n);
    }
    std::memset(buffer.get() + filled, 0, SourceFile::padding);
    return std::make_unique<SourceFile>(shown, std::move(buffer), filled);
}

void write_file(const fs::path& path, std::string_view bytes) {
    int descriptor = -1;
    Leftover beside([&] {
        std::string pattern = path.string() + ".XXXXXX";
        descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
        if (descriptor < 0) fail("write", path.string(), errno);
        return pattern;
    });
    Descriptor file(descriptor);
    while (!bytes.empty()) {
        const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("write", path.string(), errno);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file.get(), 0666 & ~mask) != 0 || ::fsync(file.get()) != 0 || file.close() != 0 ||
        ::rename(beside.path().c_str(), path.c_str()) != 0)
        fail("write", path.string(), errno);
    beside.keep();
}

TemporaryDirectory::TemporaryDirectory(const fs::path& parent)
    : leftover_([&] {
          std::string pattern = (parent / "opcat-XXXXXX").string();
          if (!::mkdtemp(pattern.data())) fail("make a temporary directory in", parent.string(), errno);
          return pattern;
      }),
      path_(leftover_.path()) {}

} // namespace opcat
