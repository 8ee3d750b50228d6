// The cache of blobs, as somebody who looks after it sees it (Options::cache).
#pragma once

#include "image/source.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace opcat::image {

struct CachedBlob {
    std::string digest;
    uint64_t size = 0;
    std::chrono::system_clock::time_point last_used;
    std::vector<std::string> images; // that it is part of, as they were asked for, by name
};

// Notes in the cache what the image consists of, so that `list_cache` can name it. What cannot be written is
// left out: it is for people only.
void name_cached_image(const std::filesystem::path& directory, const std::string& image,
                       const Contents& contents);

// By the time of the last use, the latest first. Nothing if the cache does not exist. Throws Error.
std::vector<CachedBlob> list_cache(const std::filesystem::path& directory);

struct CleanedCache {
    size_t blobs = 0;
    uint64_t bytes = 0;
};

// Removes all of it. Throws Error when another process is using it, or a file cannot be removed.
CleanedCache clean_cache(const std::filesystem::path& directory);

} // namespace opcat::image
