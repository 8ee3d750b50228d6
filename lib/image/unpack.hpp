// Layers into a directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace opcat::image {

struct LayerFile {
    std::filesystem::path path;
    std::string name; // for messages: "layer 2 of 5"
};

// Unpacks layers, the lowest first, into `into`/root, where `into` is an empty directory that nobody else
// writes to. Only what lies at and below the `wanted` paths is kept (normalised; the root, "", wants
// everything), and what links among that lead to. Files are 0600, directories 0700; links are relative and
// lead directly to what they mean within the root, so that they can be followed without leaving it.
//
// Throws Error naming the layer on: absolute paths and "..", links that leave the root, hard links to
// nothing, devices and the like among what is wanted, more than `max_size` bytes, too many entries, damaged
// archives.
void unpack(const std::vector<LayerFile>& layers, const std::vector<std::string>& wanted, uint64_t max_size,
            const std::filesystem::path& into);

} // namespace opcat::image
