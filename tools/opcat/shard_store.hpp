// The outputs of shards in a directory, or in a registry, each as an image NAME:TAG-INDEX.
#pragma once

#include "opcat/image/puller.hpp"
#include "opcat/shard/part.hpp"

#include <string>
#include <vector>

namespace opcat {

class Session;
struct ImageFlags;

// Throws RequestError for an image that cannot hold the outputs of shards.
void require_place(const std::string& place);

// Returns true if the output of this shard and run exists, without failures. Throws Error, RequestError.
bool is_stored(const std::string& place, const Shard& shard, const RunOfShards& run, const ImageFlags& images,
               Session& session);

// Publishes the part that is in `directory`, which is the place itself unless that is in a registry. Throws
// Error.
void store(const std::string& place, const std::filesystem::path& directory, const Shard& shard,
           const RunOfShards& run, bool complete, const ImageFlags& images, Session& session);

// The parts in some places, and the files that they need.
struct StoredParts {
    std::vector<Part> parts;
    std::vector<image::UnpackedImage> images;
};
// Throws Error for parts that cannot be read, RequestError for an image some of whose shards are missing.
StoredParts read_stored(const std::vector<std::string>& places, const ImageFlags& images, Session& session);

} // namespace opcat
