// Images made of files, without a container engine: a layer on top of a base, whose own layers are only
// referred to. Equal input gives an image with the same digest on every machine.
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

// What the new layer has at a path of the image ("configs/foo.yaml"). Whiteouts of the OCI image
// specification are among them: "tmp/.wh.cache" removes what the base has there, "configs/.wh..wh..opq" what
// it has below.
struct LayerEntry {
    enum class Kind { directory, file, symlink, text };
    Kind kind = Kind::directory;
    std::filesystem::path source = {}; // file: on this machine
    std::string text = {};             // text: its bytes; symlink: where it leads to
};
using LayerEntries = std::map<std::string, LayerEntry>;

// Adds a directory with all that is in it at `path`. Throws Error for what is neither file, directory nor
// link, for links that lead out of the directory, and where there are more entries than layers may have.
void add_directory(LayerEntries& entries, const std::string& path, const std::filesystem::path& directory);

struct ImageRecipe {
    LayerEntries entries;
    Labels labels = {};                                       // added to those of the base
    std::vector<std::string> no_labels = {};                  // of the base that are left out
    Annotations annotations = {};                             // of the manifest, and of the index
    std::optional<std::vector<std::string>> entry_point = {}; // nothing: as in the base
    std::optional<std::vector<std::string>> command = {};
    // An index is made for several, and for those of a base that is one where none is named.
    std::vector<Platform> platforms = {};
    Packing packing = Packing::gzip;
    uint64_t time = 0; // of the image and all files, in seconds since 1970
};

// Makes the layer, below `temporary`, and all documents. `base`: nothing for an image from scratch. The
// reader keeps the base. Throws Error.
std::unique_ptr<ImageReader> build_image(const ImageRecipe& recipe, std::unique_ptr<ImageReader> base,
                                         const std::filesystem::path& temporary);

} // namespace opcat::image
