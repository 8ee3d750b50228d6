// Layers into a directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

// A path as a label or a user gives it ("/configs/", "configs", "/a/../b"), within the root: "configs", "b";
// the root is "".
std::string path_in_image(std::string_view text);

class PathFilter {
public:
    // Normalised paths; each stands for itself and all below. The root wants everything.
    explicit PathFilter(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

    void add(const std::string& path) { wanted_.insert(path); }

    bool wants(std::string_view path) const;
    // Whether something wanted may lie below the path.
    bool leads_to_wanted(const std::string& path) const;

private:
    std::set<std::string, std::less<>> wanted_;
};

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
