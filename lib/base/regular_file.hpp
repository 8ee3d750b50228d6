// Regular files that are open for reading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

// Throws Error if it cannot be opened, is not a regular file, or cannot be read. `shown` is the name in
// messages.
class RegularFile {
public:
    RegularFile(const std::filesystem::path& path, std::string shown);
    explicit RegularFile(const std::filesystem::path& path) : RegularFile(path, path.string()) {}
    ~RegularFile();
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;

    int descriptor() const { return descriptor_; }
    // When it was opened, in bytes.
    uint64_t size() const { return size_; }

    // Fills `buffer` with the bytes from `offset` on, and returns how many: fewer at the end of the file, 0
    // after it. Thread-safe.
    size_t read_at(uint64_t offset, std::span<char> buffer) const;
    // The bytes after those of the last call, as many as `buffer` has room for; fewer at the end, none after
    // it.
    std::string_view next(std::span<char> buffer);

private:
    std::string shown_;
    int descriptor_;
    uint64_t size_ = 0;
    uint64_t next_ = 0;
};

} // namespace opcat
