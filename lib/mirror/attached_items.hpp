// Makes items of what is attached to images of a mirror.
#pragma once

#include "opcat/mirror/item.hpp"

#include <utility>
#include <vector>

namespace opcat {

struct AttachedItems {
    std::vector<MirrorItem> items;                            // each once, by name
    std::vector<std::pair<const MirrorItem*, Error>> unknown; // of these images, for that reason
    std::vector<const MirrorItem*> hidden; // images whose registry does not let this account look for all
};

// Finds attachments of images in registries. They are in the repositories of their images: tags keep their
// names, referrers have tags of their digests.
AttachedItems find_attached(const std::vector<const MirrorItem*>& images, image::ImageStores& stores,
                            image::Attachments wanted, ThreadPool& pool);

} // namespace opcat
