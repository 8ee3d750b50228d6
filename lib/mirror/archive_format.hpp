// The archives of a mirror: PREFIX-000001.tar and so on. Each segment has pieces of blobs, and at its end an
// index of them, whose name has its own digest.
//
//     blobs/sha256/HEX             a whole blob, or
//     blobs/sha256/HEX.OFFSET      the piece of one that begins there
//     opcat-segment-HEX.json       the index: what is before it, with digests
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// When they are read, each has an open file.
inline constexpr size_t most_segments = 500;
inline constexpr uint64_t least_segment_size = uint64_t{1} << 20;
inline constexpr uint64_t usual_segment_size = uint64_t{500} << 30; // as oc-mirror has it
inline constexpr uint64_t most_in_segment_index = uint64_t{64} << 20;
inline constexpr uint64_t most_pieces = 2'000'000; // of all segments

inline constexpr uint64_t tar_block = 512;

// A blob, or a part of one, in a segment.
struct ArchivePiece {
    std::string digest;  // of the blob
    uint64_t offset = 0; // in it
    uint64_t size = 0;
    std::string content; // digest of the piece
    bool is_whole = false;
    uint64_t at = 0; // in the segment; not in its index

    std::string path() const;
    // With the digest, the offset and `is_whole`; nothing for a path of something else.
    static std::optional<ArchivePiece> parse(std::string_view path);
};

// Digests of blobs, and a repository of the mirror that has each.
using BlobPlaces = std::map<std::string, std::string>;

struct SegmentIndex {
    std::string set; // of the archive; equal in all its segments
    size_t number = 1;
    std::vector<ArchivePiece> pieces;
    // For the last segment:
    bool is_last = false;
    std::string images;             // digest of the list of images, which is a blob, too
    std::vector<std::string> after; // archives that must have been brought before
    BlobPlaces before;              // blobs that they have brought and that its images need

    std::string to_json() const;
    // Throws Error.
    static SegmentIndex parse(std::string_view json);
};

inline constexpr std::string_view segment_index_prefix = "opcat-segment-";

// Returns true for a file that has a name of one of the archive's own files, whether it is there or not.
bool is_file_of_archive(const std::filesystem::path& file, const std::filesystem::path& prefix);

std::filesystem::path segment_file(const std::filesystem::path& prefix, size_t number);
// The numbers of those that exist, ascending. Throws Error.
std::vector<size_t> existing_segments(const std::filesystem::path& prefix);

} // namespace opcat
