// The images of a mirror, and their names there.
#pragma once

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
    static MirrorName parse(const std::string& text);
    friend auto operator<=>(const MirrorName&, const MirrorName&) = default;
};

// The repository that oc-mirror would use: the image's own path, without its registry.
MirrorName mirror_name(const PullSpec& spec);

// The tag for an image that only has a digest: "sha256-…".
std::string tag_of_digest(const std::string& digest);

struct MirrorImage {
    std::vector<PullSpec> sources; // its name in catalogs; one, or several with the same digest
    MirrorName target;
    std::vector<std::string> bundles;    // that want it, by name
    std::set<std::string> catalogs = {}; // that need it, as named by `add`
};

// What needs images that no catalog needs, in place of the name of a catalog, which has a colon.
inline constexpr const char* additional_images = "additional-images";

// The images of all bundles of a catalog, and those that they need, each once, by their targets. Throws Error
// for a name that is not a pull spec, and for two images with different content that would have the same
// name.
class MirrorPlan {
public:
    using IsBlocked = std::function<bool(const PullSpec& source, const MirrorName& target)>;

    // Leaves out blocked images.
    void add(const Catalog& catalog, const std::string& name, const IsBlocked& is_blocked = {});
    // An image by itself, which counts as needed by `additional_images`.
    void add(const PullSpec& spec, const MirrorName& name);
    std::vector<MirrorImage> images() const;

private:
    MirrorImage& place(const PullSpec& spec, MirrorName name);

    std::map<MirrorName, MirrorImage> images_;
};

} // namespace opcat
