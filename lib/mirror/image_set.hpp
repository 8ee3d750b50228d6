// An ImageSetConfiguration of oc-mirror (mirror.openshift.io/v2alpha1, v1alpha2), read as strictly as
// oc-mirror v2 does (docs/spec/image-sets.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/filter/request.hpp"
#include "opcat/mirror/plan.hpp"
#include "opcat/mirror/release_signatures.hpp"
#include "opcat/mirror/releases.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

// An item of mirror.operators.
struct ImageSetCatalog {
    std::string reference;         // of its image, as opcat names it: "oci:DIR" for "oci://DIR"
    std::string target_repository; // its path in the mirror; empty: unchanged
    std::string target_tag;        // empty: as at home
    std::string source_template;   // a file with a CatalogSource; empty: none
    Platforms platforms;           // of its images
    CatalogRequest request;
};

// What an image that no catalog names is for.
enum class ImageUse : uint8_t { additional, release, part_of_release };

// An item of mirror.additionalImages, or an image of a release.
struct ImageSetImage {
    PullSpec spec;
    std::string target_repository;
    std::string target_tag;
    Platforms platforms;
    Location where;
    ImageUse use = ImageUse::additional;
    SignatureData signatures = {}; // of a release

    MirrorName target() const; // in the mirror, below its prefix
};

struct ImageSet {
    std::vector<ImageSetCatalog> catalogs;
    std::vector<ImageSetImage> images;
    std::vector<std::string> blocked; // regular expressions, in RE2's syntax, as Go has it
    std::optional<int64_t> archive_size;
    ReleaseRequest releases; // mirror.platform
    // Errors about what opcat does not mirror; the rest of the set can be used without it.
    Diagnostics unsupported;
};

// What a file is read for: `removal` also takes a DeleteImageSetConfiguration, which says the same below
// `delete` as the other one below `mirror`.
enum class ImageSetUse : uint8_t { mirror, removal };

// Mistakes are errors at their places, and what has no effect is a warning. The places refer to the file.
ImageSet read_image_set(const SourceFile& file, Diagnostics& diagnostics,
                        ImageSetUse use = ImageSetUse::mirror);

// What the set asks of a catalog: the item that names it, or the only one. Throws RequestError if there are
// others.
const ImageSetCatalog& item_for(const ImageSet& set, const std::string& reference);

} // namespace opcat
