// Layers into a directory.
#pragma once

#include "opcat/image/puller.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

// A path from a label or a user ("/configs/", "configs", "/a/../b"), within the root: "configs", "b"; the
// root is "".
std::string path_in_image(std::string_view text);

class PathFilter {
public:
    // Normalised paths, each with everything below it. The root includes everything.
    explicit PathFilter(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

    void add(const std::string& path) { wanted_.insert(path); }

    bool wants(std::string_view path) const;
    // Returns true if something wanted may be below the path.
    bool leads_to_wanted(const std::string& path) const;

private:
    std::set<std::string, std::less<>> wanted_;
};

struct LayerFile {
    std::filesystem::path path;
    std::string name; // for messages: "layer 2 of 5"
};

// Unpacks layers, the lowest first, into `into`/root, where `into` is an empty directory that nobody else
// writes to. Only keeps the `wanted` paths with everything below them (normalised; the root, "", includes
// everything), and the targets of links among them. Files are 0600, directories 0700; links are relative and
// lead directly to their targets within the root, so that they can be followed safely.
// Throws Error naming the layer for absolute paths and "..", links that leave the root, hard links to missing
// files, wanted devices and the like, more than `max_size` bytes, too many entries, damaged archives.
void unpack(const std::vector<LayerFile>& layers, const std::vector<std::string>& wanted, uint64_t max_size,
            const std::filesystem::path& into);

// Those with one of the names, by their paths, after all layers. Nothing is written. Throws Error like
// unpack.
std::vector<FoundFile> find_files(const std::vector<LayerFile>& layers, const std::vector<std::string>& names,
                                  uint64_t max_size);

} // namespace opcat::image
