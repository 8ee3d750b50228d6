// Builds images from files, without a container engine: a layer on top of a base, whose own layers are only
// referenced. Equal input gives an image with the same digest on every machine.
#pragma once

#include "opcat/image/image_io.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/options.hpp"
#include "opcat/image/tar_writer.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat::image {

// A path of the image ("configs/foo.yaml") and its content in the new layer. May be a whiteout of the OCI
// image specification: "tmp/.wh.cache" removes a file of the base, "configs/.wh..wh..opq" the content of a
// directory.
struct LayerEntry {
    enum class Kind { directory, file, symlink, text };
    Kind kind = Kind::directory;
    std::filesystem::path source = {}; // file: on this machine
    std::string text = {};             // text: its bytes; symlink: its target
    unsigned mode = 0;                 // of a directory or file; 0: 0755 of directories, 0644 of files
};
using LayerEntries = std::map<std::string, LayerEntry>;

// data: links stay inside the directory, and nothing is executable. root: the root of a file system, whose
// links may lead anywhere; executable files have the mode 0755, a directory with the sticky bit 1777.
enum class Tree { data, root };

// Adds a directory with its content at `path`, which is empty for the root of the image. Throws Error for
// anything but files, directories and links, for links that lead out of data, and for more entries than a
// layer may have.
void add_directory(LayerEntries& entries, const std::string& path, const std::filesystem::path& directory,
                   Tree tree = Tree::data);

// Adds a file, and the directories above it. Throws Error for more entries than a layer may have.
void add_file(LayerEntries& entries, const std::string& path, const std::filesystem::path& file);

struct ImageRecipe {
    LayerEntries entries = {};
    // In place of `entries`: those of each platform, in their order.
    std::vector<LayerEntries> entries_by_platform = {};
    Labels labels = {};                                       // added to those of the base
    std::vector<std::string> no_labels = {};                  // of the base, to be removed
    std::vector<std::string> alien_labels = {};               // a base with one of them is refused
    Annotations annotations = {};                             // of the manifest, and of the index
    std::optional<std::vector<std::string>> entry_point = {}; // nothing: as in the base
    std::optional<std::vector<std::string>> command = {};
    std::optional<std::string> user = {};                // "USER[:GROUP]", names or numbers
    std::optional<std::string> working_directory = {};   // in the image
    std::map<std::string, std::string> environment = {}; // added to that of the base
    // The result is an index for several platforms, or for all those of a base that is an index if none is
    // named.
    std::vector<Platform> platforms = {};
    Packing packing = Packing::gzip;
    uint64_t time = 0; // of the image and all files, in seconds since 1970
};

// Makes the layer, below `temporary`, and all documents. `base`: nothing for an image from scratch. The
// result keeps the base. Throws Error.
std::unique_ptr<ImageReader> build_image(const ImageRecipe& recipe, std::unique_ptr<ImageReader> base,
                                         const std::filesystem::path& temporary);

} // namespace opcat::image
