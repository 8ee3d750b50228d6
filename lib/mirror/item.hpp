// The items that a mirror copies, and what a mirror in a directory says about them.
#pragma once

#include "opcat/image/image_io.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/mirror/owned_images.hpp"
#include "opcat/mirror/source_template.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat {

// The annotations of each image in a directory: its names in catalogs, separated by blanks, and the names of
// the catalogs that need it; of what is not an image in a catalog, its kind.
inline constexpr const char* sources_annotation = "opcat.mirror.sources";
inline constexpr const char* catalogs_annotation = "opcat.mirror.catalogs";
// For an image in a directory that a later run no longer needed: the catalogs for which it was there.
inline constexpr const char* former_annotation = "opcat.mirror.former";
inline constexpr const char* platforms_annotation = "opcat.mirror.platforms";           // none: all
inline constexpr const char* signatures_annotation = "opcat.mirror.release-signatures"; // of a release
// Of a catalog in a directory: the images that the run could not copy, as a JSON list; none: it has all.
inline constexpr const char* missing_annotation = "opcat.mirror.missing";
// The images of bundles that it has lost because these could not be copied, in the same form.
inline constexpr const char* dropped_annotation = "opcat.mirror.dropped";
// The same, of images that no catalog needs: each catalog of the run has the list, or if there is none, an
// image.
inline constexpr const char* missing_others_annotation = "opcat.mirror.missing-others";
inline constexpr const char* kind_annotation = "opcat.mirror.kind";
inline constexpr const char* catalog_kind = "catalog";
inline constexpr const char* attachment_kind = "attachment";
inline constexpr const char* graph_kind = "graph";                          // GraphImage
inline constexpr const char* releases_annotation = "opcat.mirror.releases"; // of it: GraphImage::releases

std::string join_words(const std::set<std::string>& words);
std::set<std::string> word_set(const std::string& text);
std::string annotation(const image::IndexEntry& entry, const char* name);

using OpenReader = std::function<std::unique_ptr<image::ImageReader>()>;

// Throws Error.
std::vector<image::Platform> parsed_platforms(const Platforms& platforms);

struct MirrorItem {
    std::string from; // for messages; of an image in a registry, its name
    MirrorName name;
    OpenReader reader;
    image::Annotations annotations;
    std::set<std::string> catalogs; // names of those that it is for
    std::vector<std::string> bundles;
    Platforms platforms = {};
    // For a catalog:
    OpenReader described_by = {}; // an image with its command: itself, or its base; empty: it has none
    std::optional<SourceTemplate> source = {};
    bool is_rebuilt = false; // from an image

    // Also in the annotations.
    void set_platforms(const Platforms& wanted);
    OwnedImage owned(const std::string& digest = {}) const;
    // Is it a catalog or the graph image, which runs make and only a run can repair?
    bool is_made() const;
};

} // namespace opcat
