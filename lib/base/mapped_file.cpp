#include "opcat/base/mapped_file.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace opcat {

MappedFile::MappedFile(const std::filesystem::path& path) {
    const auto refuse = [&](int error) {
        return Error(fmt::format("cannot read {}: {}", path.string(), system_message(error)));
    };
    // Opening a FIFO would wait for a writer.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) throw refuse(errno);
    struct stat status {};
    const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    const auto size = static_cast<size_t>(status.st_size);
    void* const memory =
        is_file && size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    const int error = is_file ? errno : EINVAL;
    ::close(descriptor);
    if (is_file && size == 0) return;
    if (memory == MAP_FAILED) throw refuse(error);
    bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the memory is ours
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

} // namespace opcat
