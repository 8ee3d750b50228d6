#include "catalog/checks.hpp"
#include "catalog/finding.hpp"
#include "support/pull_spec.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

class ImageCheck {
public:
    ImageCheck(const PackageIndex& index, Diagnostics& out) : index_(index), out_(out) {}

    void run() {
        for (const Bundle* bundle : index_.bundles) {
            check_presence(*bundle);
            check_pull_spec(*bundle, bundle->image, "image");
            for (const RelatedImage& related : bundle->related_images)
                check_pull_spec(*bundle, related.image, "related image");
        }
        note_missing_digests();
    }

private:
    void check_presence(const Bundle& bundle) {
        const bool has_objects =
            std::any_of(bundle.properties.begin(), bundle.properties.end(),
                        [](const Property& p) { return p.type == property_type::bundle_object; });
        if (bundle.image.empty() && !has_objects)
            out_.push_back(error("bundle-image", bundle.start(),
                                 fmt::format("bundle \"{}\" has no image", bundle.name.text),
                                 "add \"image: PULLSPEC\""));
    }

    void check_pull_spec(const Bundle& bundle, const Text& image, std::string_view what) {
        if (image.empty()) return;
        std::string reason;
        const auto spec = PullSpec::parse(image, &reason);
        if (!spec)
            out_.push_back(error("image-reference", bundle.at(image),
                                 fmt::format("{} \"{}\" of bundle \"{}\" is no pull spec: {}", what,
                                             image.text, bundle.name.text, reason)));
        else if (what == "related image" && spec->digest().empty())
            without_digest_.emplace_back(&bundle, &image);
    }

    // One note for the whole package: catalogs have thousands of such images.
    void note_missing_digests() {
        if (without_digest_.empty()) return;
        const auto [bundle, image] = without_digest_.front();
        out_.push_back(
            finding(Severity::note, "image-without-digest", bundle->at(*image),
                    without_digest_.size() == 1
                        ? fmt::format("a related image of package \"{}\" has no digest", index_.name)
                        : fmt::format("{} related images of package \"{}\" have no digest",
                                      without_digest_.size(), index_.name),
                    "a tag can move, and clusters that mirror images need digests: write NAME@sha256:…"));
    }

    const PackageIndex& index_;
    Diagnostics& out_;
    std::vector<std::pair<const Bundle*, const Text*>> without_digest_;
};

} // namespace

void check_images(const PackageIndex& index, Diagnostics& out) {
    ImageCheck(index, out).run();
}

} // namespace opcat
