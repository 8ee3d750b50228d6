// The catalogs that are mirrored: what is selected of each, without what is blocked, and its name in the
// mirror.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/filter/filter.hpp"
#include "opcat/mirror/blocked.hpp"
#include "opcat/mirror/image_set.hpp"

#include <string>
#include <vector>

namespace opcat {

struct MirrorPart {
    std::string reference;                 // as it was named
    std::string image;                     // its exact name; empty: it is a directory
    const ImageSetCatalog* item = nullptr; // if it comes from one
    Catalog catalog;                       // the selected part, with all that is blocked
    bool is_whole = false;                 // the catalog as it was
    std::vector<BlockedBundle> blocked;
};

// What the part's item selects of its catalog; without an item the selection, which selects all if it names
// no package. Mistakes in the catalog are in the diagnostics. Throws RequestError, which names the part, if a
// selection is not possible.
FilteredCatalog select_part(const MirrorPart& part, Catalog catalog, const Selection& selection,
                            bool with_dependencies, ThreadPool& pool);

// The part without its blocked bundles, and what was dropped with them. The report keeps nothing if nothing
// is left. Mistakes in the result are in the diagnostics.
FilteredCatalog without_blocked(const MirrorPart& part, ThreadPool& pool);

// The catalog's name in the mirror: that of its image, or of its directory. Throws RequestError if it cannot
// have one.
MirrorName target_of(const MirrorPart& part);

// The images of the set that no catalog names, without the blocked ones. `prefix` is that of the mirror.
struct AllowedImages {
    std::vector<ImageSetImage> images;
    std::vector<std::string> left_out; // pull specs
};
AllowedImages allowed_images(const ImageSet& set, const BlockedImages& blocked, const std::string& prefix);

} // namespace opcat
