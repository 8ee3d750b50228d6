#include "base/pull_spec.hpp"
#include "catalog/finding.hpp"
#include "catalog/package_property.hpp"
#include "lint/checks.hpp"
#include "semver/release.hpp"
#include "semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace opcat {
namespace {

class BundleCheck {
public:
    BundleCheck(const PackageIndex& index, Diagnostics& out) : index_(index), out_(out) {
        for (const Channel* channel : index.channels)
            for (const ChannelEntry& entry : channel->entries) entry_names_.insert(entry.name);
    }

    void run() {
        for (const Bundle* bundle : index_.bundles) {
            check_name(*bundle);
            check_membership(*bundle);
            check_version(*bundle);
        }
        check_versions_differ();
    }

private:
    void check_name(const Bundle& bundle) {
        if (bundle.name.empty())
            out_.push_back(
                error("bundle-name", bundle.start(), "a bundle needs a name", "add \"name: NAME\""));
        const Bundle& first = *index_.bundle_by_name.at(bundle.name);
        if (&first == &bundle) return;
        out_.push_back(with_note(error("bundle-duplicate", bundle.at(bundle.name),
                                       fmt::format("bundle \"{}\" of package \"{}\" is defined again",
                                                   bundle.name.text, index_.name),
                                       "keep one of the two"),
                                 "the first definition stands", first.at(first.name)));
    }

    void check_membership(const Bundle& bundle) {
        if (index_.packages.empty() || entry_names_.contains(bundle.name)) return;
        out_.push_back(error("bundle-without-channel", bundle.at(bundle.name),
                             fmt::format("bundle \"{}\" is an entry of no channel", bundle.name.text),
                             "add an entry to a channel, or remove the bundle"));
    }

    void check_version(const Bundle& bundle) {
        const auto count = std::count_if(bundle.properties.begin(), bundle.properties.end(),
                                         [](const Property& p) { return p.type == property_type::package; });
        if (count != 1) {
            out_.push_back(
                error("package-property", bundle.at(bundle.name),
                      fmt::format("bundle \"{}\" has {} olm.package properties and must have exactly one",
                                  bundle.name.text, count == 0 ? "no" : std::to_string(count)),
                      count == 0
                          ? fmt::format(
                                "add a property of type olm.package with \"packageName: {}\" and the version",
                                index_.name)
                          : "remove the others"));
            return;
        }
        const auto property = package_property(bundle);
        const Text package = property ? property->package : Text{};
        if (package.text != bundle.package.text)
            out_.push_back(error(
                "package-property",
                property ? (package.empty() ? bundle.at(property->property->offset) : bundle.at(package))
                         : bundle.start(),
                fmt::format("the olm.package property of \"{}\" names package \"{}\", but the bundle belongs "
                            "to \"{}\"",
                            bundle.name.text, package.text, bundle.package.text),
                "make both the same"));
        const Value* const written = property ? property->property->value->find("version") : nullptr;
        if (written && !written->is_string() && !written->is_null()) return; // told as property-value
        const Text version = property ? property->version : Text{};
        const auto parsed = semver::Version::parse(version);
        if (!parsed) {
            out_.push_back(error(
                "bundle-version",
                property ? (version.empty() ? bundle.at(property->property->offset) : bundle.at(version))
                         : bundle.start(),
                version.empty()
                    ? fmt::format("bundle \"{}\" has no version", bundle.name.text)
                    : fmt::format("\"{}\" is no semantic version: {}", version.text, parsed.error().message),
                "write MAJOR.MINOR.PATCH, as in 1.2.3 or 1.2.3-rc.1"));
            return;
        }
        std::string full = parsed->to_string();
        if (property->release.empty()) {
            by_version_[std::move(full)].push_back(&bundle);
            return;
        }
        check_release(bundle, *property, *parsed);
        by_version_[full + "-" + std::string(property->release)].push_back(&bundle);
    }

    void check_release(const Bundle& bundle, const PackageProperty& property,
                       const semver::Version& version) {
        const auto release = semver::Release::parse(property.release);
        if (!release) {
            out_.push_back(error("bundle-release", bundle.at(property.release), release.error().message,
                                 "write numbers or words joined by dots, as in 1 or 2.hotfix"));
            return;
        }
        if (!version.build.empty())
            out_.push_back(
                error("bundle-release", bundle.at(property.version),
                      fmt::format("version {} has build metadata, which a bundle with a release cannot have",
                                  property.version.text),
                      fmt::format("remove \"+{}\"", version.build)));
        const std::string wanted =
            fmt::format("{}-v{}-{}", bundle.package.text, property.version.text, property.release.text);
        if (bundle.name != wanted)
            out_.push_back(
                error("bundle-release", bundle.at(bundle.name),
                      fmt::format("a bundle with a release must be called PACKAGE-vVERSION-RELEASE: \"{}\"",
                                  wanted),
                      fmt::format("rename \"{}\", also in its channels", bundle.name.text)));
    }

    void check_versions_differ() {
        for (const auto& [version, bundles] : by_version_) {
            for (size_t i = 1; i < bundles.size(); ++i) {
                if (bundles[i]->name == bundles[0]->name) continue; // told as bundle-duplicate
                out_.push_back(with_note(
                    error("version-duplicate", bundles[i]->at(package_property(*bundles[i])->version),
                          fmt::format("bundles \"{}\" and \"{}\" have the same version {}",
                                      bundles[0]->name.text, bundles[i]->name.text, version),
                          "give one of them another version"),
                    fmt::format("\"{}\" has it", bundles[0]->name.text),
                    bundles[0]->at(package_property(*bundles[0])->version)));
            }
        }
    }

    const PackageIndex& index_;
    Diagnostics& out_;
    std::unordered_set<std::string_view> entry_names_;
    std::map<std::string, std::vector<const Bundle*>> by_version_;
};

} // namespace

void check_bundles(const PackageIndex& index, Diagnostics& out) {
    BundleCheck(index, out).run();
}

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
