// Lists the parts of an image, without the bytes of its layers.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/image/image_io.hpp"
#include "opcat/image/image_stores.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat::image {

struct ImageParts {
    std::vector<std::string> manifests; // below the first one: those that others refer to first
    std::vector<Descriptor> blobs;      // configurations and layers, each once
};

// Reads the parts of a manifest, or of an index: of all of its images, or of those for `platforms`. Throws
// Error.
ImageParts read_parts(ImageReader& reader, const std::string& top, std::span<const Platform> platforms);
// The entries of an index for these platforms; empty: all. Throws Error if there are none.
std::vector<IndexEntry> entries_for(const Index& index, std::span<const Platform> platforms);

struct ImageBlobs {
    std::vector<Descriptor> blobs;
    std::optional<Error> failure; // why they are not known
};

// Returns the blobs that pulling the images takes, by their names: of the platform that `platform` wants, or
// of all. Only manifests are read, concurrently as `pool` allows. In the order of the names.
std::vector<ImageBlobs> read_blobs(ImageStores& stores, std::span<const std::string> names,
                                   const PlatformChoice& platform, ThreadPool& pool);

// The bytes of all blobs, each counted once.
uint64_t bytes_of(std::span<const ImageBlobs* const> images);

} // namespace opcat::image
