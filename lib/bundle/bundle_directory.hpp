// Bundle directories of format registry+v1: manifests/ with a ClusterServiceVersion and the objects it needs,
// metadata/ with annotations.yaml (docs/bundles.md).
#pragma once

#include "opcat/catalog/load.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// Returns true if opm treats a directory as a bundle: it has both folders, and they are not links. Throws
// Error if it cannot be read.
bool is_bundle_directory(const std::filesystem::path& directory);

// The labels of the bundle's image: the annotations in metadata/. Throws Error if they cannot be read.
std::map<std::string, std::string> bundle_labels(const std::filesystem::path& directory);

struct BundleNames {
    std::string_view package, name, version;
};

// The pull spec of a bundle that is rendered from a directory, in which {{.Package}}, {{.Name}} and
// {{.Version}} are the bundle's own. As in Go's text/template, blanks are allowed inside the braces, and "{{-
// " and " -}}" trim the white space outside; nothing else of Go's language is supported.
class ImageTemplate {
public:
    // Throws RequestError for an action other than these three.
    static ImageTemplate parse(std::string_view text);

    std::string expand(const BundleNames& names) const;

private:
    struct Part {
        std::string literal; // then
        std::string_view BundleNames::*field = nullptr;
    };
    std::vector<Part> parts_;
};

struct BundleOptions {
    // The pull spec of the image that the directory comes from, for the bundle's image field; may be empty.
    std::string image;
    // Makes the pull spec if `image` is empty.
    std::optional<ImageTemplate> image_template;
    // The name that messages show in place of `directory`, such as the image that it was unpacked from.
    std::filesystem::path shown_root = {};
};

// Loads a bundle as one olm.bundle with the manifests as olm.bundle.object properties, in opm's order. The
// diagnostics are errors where opm would fail (then there is no bundle), and warnings where opm silently
// ignores something. Names in messages begin with `directory` as given. Throws Error if a folder cannot be
// read.
LoadedCatalog load_bundle_directory(const std::filesystem::path& directory,
                                    const BundleOptions& options = {});

} // namespace opcat
