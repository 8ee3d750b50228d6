// Files mapped into memory, if they are too large or too many to be read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace opcat {

// The bytes of a regular file, which must not be shortened meanwhile. Holds no file descriptor.
class MappedFile {
public:
    // Throws Error.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    std::string_view bytes() const { return bytes_; }

private:
    std::string_view bytes_;
};

} // namespace opcat
