// Stores what a mirror's first step leaves in a directory or an archive, for its second step and for later
// runs.
#pragma once

#include "opcat/mirror/item.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace opcat {

struct StoredItems {
    std::vector<MirrorItem> catalogs;
    std::vector<MirrorItem> images;
    // What the first step could not copy: images that its catalogs need, and catalogs whose images it has.
    std::vector<UnusableImage> missing;
    bool lost_bundles = false; // catalogs have lost bundles whose images it could not copy
};

using OpenStored = std::function<std::unique_ptr<image::ImageReader>(const image::Descriptor&)>;

// From the entries of an index. `place`: how messages name where an image is; `source`: the directory or the
// archive; `most_parts` of paths in the target: 0: any number. Throws Error if there is nothing of a mirror.
StoredItems stored_items(const std::vector<image::IndexEntry>& entries, const std::string& place,
                         const std::filesystem::path& source, const OpenStored& open, size_t most_parts);

struct FormerUse {
    std::set<std::string> own;    // catalogs of this run, for which it was there
    std::set<std::string> others; // that need it
};
// Images in the directory that are not among the items of this run, and were of its catalogs, by name;
// attachments only if the run knows all of them.
std::map<std::string, FormerUse> no_longer_needed(const std::filesystem::path& directory,
                                                  std::span<const MirrorItem* const> items,
                                                  bool knows_attachments);

// Marks images that this run no longer needs: they stay in the directory until it is pruned, and the second
// step does not push them.
void retire_others(const std::filesystem::path& directory, std::span<const MirrorItem* const> items,
                   bool knows_attachments);

} // namespace opcat
