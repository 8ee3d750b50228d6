// Files that are compressed with gzip, read as container engines read them: members one after another, each
// with a right checksum, and nothing after the last one (RFC 1952, and compress/gzip of Go).
#pragma once

#include "opcat/base/regular_file.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace opcat::image {

class GzipReader {
public:
    // Throws Error if the file cannot be opened.
    explicit GzipReader(const std::filesystem::path& file);
    ~GzipReader();
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;

    // Returns true if the file begins as gzip does; else it must not be read by this class.
    static bool is_gzip(const std::filesystem::path& file);

    // The next bytes, 256 KiB at most, valid until the next call; none at the end. Throws Error if the file
    // is damaged, cut, or goes on with something else.
    std::string_view next();

private:
    struct Inflater;

    bool read_more();
    [[noreturn]] void refuse(const char* why) const;

    RegularFile file_;
    std::string packed_;
    std::string unpacked_;
    std::unique_ptr<Inflater> inflater_;
    bool between_members_ = true;
    bool is_after_first_ = false; // member
};

} // namespace opcat::image
