// The images of a mirror, and their names there.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/catalog/catalog.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace opcat {

// A repository below the mirror's prefix, and a tag there.
struct MirrorName {
    std::string repository; // "org/foo"
    std::string tag;        // "v1", or "sha256-…" for an image that is named by its digest alone

    std::string to_string() const { return repository + ':' + tag; }
    // The same for a registry: an image with the tag of its own digest is named by the digest. Without the
    // API for referrers, that tag is the one of their list (image/referrers.hpp).
    std::string to_exact_string() const;
    std::string in_registry(const std::string& prefix) const { return prefix + '/' + to_exact_string(); }
    // Returns true if the tag is one of cosign (sha256-HEX.sig), or that of a digest.
    bool refers_to_an_image() const;
    static MirrorName parse(const std::string& text);
    friend auto operator<=>(const MirrorName&, const MirrorName&) = default;
};

// The repository that oc-mirror would use: the image's own path, without its registry.
MirrorName mirror_name(const PullSpec& spec);

// The repository of the record of runs (record.hpp), below the mirror's prefix.
inline constexpr const char* record_repository = "opcat-mirror";
// Throws Error for a name there: the record says what is removed and repaired, and no image may be in its
// place.
void require_not_of_record(const MirrorName& name);

// The same path in at most so many parts (0: any number): those after them are joined by "-", as oc-mirror
// does for registries that limit them.
std::string limited_path(const std::string& repository, size_t most_parts);

// The platforms of an index that are copied, "os/architecture"; none: all.
using Platforms = std::set<std::string>;

struct MirrorImage {
    std::vector<PullSpec> sources; // its name in catalogs; one, or several with the same digest
    MirrorName target;
    std::vector<std::string> bundles;    // that want it, by name
    std::set<std::string> catalogs = {}; // that need it, as named by `add`
    Platforms platforms = {};            // that they need
};

// An image that a catalog names and that cannot be mirrored.
struct UnusableImage {
    std::string image; // as it is named
    std::vector<std::string> bundles;
    std::string catalog;
    Error why;
};

// Are written in place of a catalog's name, which has a colon, for images that no catalog needs: those that
// are named by themselves, and those of releases of OpenShift.
inline constexpr const char* additional_images = "additional-images";
inline constexpr const char* release_images = "release-images";

inline bool names_catalog(const std::string& needed_by) {
    return needed_by != additional_images && needed_by != release_images;
}

// Adds those whose images a run removes if nothing needs them now: a run that mirrors images by themselves
// decides on all that no catalog needs.
std::set<std::string> with_others_of_the_run(std::set<std::string> needed_by);

// For two images of different places, of which the mirror can have one under this name.
Error would_both_be(const std::string& one, const std::string& other, const MirrorName& name);

// The images of all bundles of a catalog, and those that they need, each once, by their targets.
class MirrorPlan {
public:
    using IsBlocked = std::function<bool(const PullSpec& source, const MirrorName& target)>;

    // Limits the paths of all images that are added from now on; 0: any number of parts.
    void limit_paths(size_t most_parts) { most_parts_ = most_parts; }

    // Leaves out blocked images.
    void add(const Catalog& catalog, const std::string& name, const IsBlocked& is_blocked = {},
             const Platforms& platforms = {});
    // An image by itself, for `additional_images` or `release_images`.
    void add(const PullSpec& spec, const MirrorName& name, const Platforms& platforms,
             const std::string& needed_by);
    std::vector<MirrorImage> images() const;
    // Names that are not pull specs, and images whose target has other content already.
    const std::vector<UnusableImage>& unusable() const { return unusable_; }

private:
    // Throws Error if that is not possible.
    MirrorImage& place(const PullSpec& spec, MirrorName name, const Platforms& platforms);

    size_t most_parts_ = 0;
    std::map<MirrorName, MirrorImage> images_;
    std::vector<UnusableImage> unusable_;
};

} // namespace opcat
