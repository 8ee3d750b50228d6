#include "opcat/base/mapped_file.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/regular_file.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace opcat {

MappedFile::MappedFile(const std::filesystem::path& path) {
    const RegularFile file(path);
    if (file.size() == 0) return;
    void* const memory = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (memory == MAP_FAILED)
        throw Error(fmt::format("cannot read {}: {}", path.string(), system_message(errno)));
    bytes_ = {static_cast<const char*>(memory), file.size()};
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
