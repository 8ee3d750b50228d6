// The entries of a tar archive, compressed with gzip, zstd or not at all, from an untrusted source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace opcat::image {

// Shared limits of all archives of an image.
struct UnpackBudget {
    uint64_t limit = 0;       // bytes, for messages
    uint64_t packed_left = 0; // bytes that decompression may still produce
    uint64_t files_left = 0;  // bytes that files may still have (a sparse file has more than it stores)
    static constexpr uint64_t most_entries = 500'000;
    uint64_t entries_left = most_entries;

    explicit UnpackBudget(uint64_t bytes) : limit(bytes), packed_left(bytes), files_left(bytes) {}
};

struct TarEntry {
    enum class Kind { directory, file, symlink, hard_link, other };
    Kind kind = Kind::other;
    std::string path;   // as it is written
    std::string target; // of links
};

// All functions throw Error with a reason that names neither image nor layer.
class TarReader {
public:
    TarReader(const std::filesystem::path& file, UnpackBudget& budget);
    ~TarReader();
    TarReader(const TarReader&) = delete;
    TarReader& operator=(const TarReader&) = delete;

    // Advances to the next entry; false at the end.
    bool next(TarEntry& entry);
    // Writes the bytes of the current file to a new file.
    void extract(const std::filesystem::path& to);

private:
    struct Archive;
    void skip();
    bool next_block(const char*& bytes, size_t& size, uint64_t& offset);
    void charge();
    void read_to_end();
    [[noreturn]] void too_large() const;
    [[noreturn]] void fail(std::string_view doing) const;

    UnpackBudget& budget_;
    const uint64_t packed_before_;
    std::unique_ptr<Archive> archive_;
    bool data_pending_ = false;
};

} // namespace opcat::image
