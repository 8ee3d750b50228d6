// Files that are read piece by piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace opcat {

// An open file. Throws Error if it cannot be opened, or is not a regular file.
class FileReader {
public:
    explicit FileReader(std::filesystem::path path);
    ~FileReader();
    FileReader(const FileReader&) = delete;
    FileReader& operator=(const FileReader&) = delete;

    // When it was opened, in bytes.
    uint64_t size() const { return size_; }
    // The next bytes, as many as `buffer` has room for; fewer at the end, and none after it. Throws Error.
    std::string_view next(std::span<char> buffer);

private:
    std::filesystem::path path_;
    int descriptor_;
    uint64_t size_ = 0;
};

} // namespace opcat
