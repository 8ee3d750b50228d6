// The catalogs that commands mirror: from the command line or an ImageSetConfiguration, loaded, and reduced
// to what is selected.
#pragma once

#include "catalog_options.hpp"
#include "opcat/mirror/content.hpp"
#include "selection_flags.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

// An ImageSetConfiguration, and its text, to which its places refer.
struct OpenImageSet {
    std::unique_ptr<SourceFile> file;
    ImageSet set;
};

// Mistakes are shown; then there is nothing, and the exit status says so. Parts that opcat does not support
// are mistakes if they are needed, else warnings.
std::optional<OpenImageSet> open_image_set(const std::string& path, bool needs_all, Session& session,
                                           ImageSetUse use = ImageSetUse::mirror);

struct ContentFlags {
    std::vector<std::string> catalogs;
    std::string image_set;
    SelectionFlags selection;
    bool allow_empty = false;
    bool keep_going = false; // a name of an image that is not a pull spec is only a warning
    ImageFlags images;
};

// Loads and selects. `pin` makes the name of an image exact. `prefix` is that of the mirror, for images that
// are blocked by their names there. Nothing if a catalog is not valid, or a selection not possible: that is
// shown, and the exit status says so.
std::optional<std::vector<MirrorPart>>
select_content(const ContentFlags& flags, const ImageSet& set, const BlockedImages& blocked,
               const std::string& prefix, const std::function<std::string(const std::string&)>& pin,
               Session& session);

// The part without blocked bundles, or with marks on them. Nothing if none is left: that is shown.
bool apply_blocked(MirrorPart& part, bool keep, Session& session);

// The images of the set that no catalog names, but those that are blocked, which are named.
std::vector<ImageSetImage> images_of(const ImageSet& set, const BlockedImages& blocked,
                                     const std::string& prefix, const Session& session);

} // namespace opcat
