#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/edge_names.hpp"
#include "opcat/lint/fixes.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/semver/release.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace opcat {
namespace {

// Entries that nothing replaces or skips.
std::vector<const ChannelEntry*> heads_of(const Channel& channel) {
    NamedEntries names;
    for (const ChannelEntry& entry : channel.entries) names.add(entry.name, entry.replaces, entry.skips);
    const ChannelOrder order = names.order(ChannelOrder::Namesakes::all);
    std::vector<const ChannelEntry*> heads;
    for (const uint32_t place : order.heads()) heads.push_back(&channel.entries[place]);
    return heads;
}

class BundleCheck {
public:
    BundleCheck(const PackageIndex& index, Diagnostics& out)
        : index_(index), misnamed_(find_misnamed(index)), out_(out) {
        for (const Channel* channel : index.channels)
            for (const ChannelEntry& entry : channel->entries) entry_names_.insert(entry.name);
    }

    void run() {
        for (const Bundle* bundle : index_.bundles) {
            check_name(*bundle);
            if (bundle->is_unknown) continue;
            check_membership(*bundle);
            check_version(*bundle);
        }
        check_versions_differ();
        report_unlike_names();
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
                                 "the first definition", first.at(first.name)));
        if (++copies_ <= 100) out_.back().fix = remove_copy(first, bundle);
    }

    void check_membership(const Bundle& bundle) {
        if (index_.packages.empty() || entry_names_.contains(bundle.name) ||
            misnamed_.bundles.contains(&bundle))
            return;
        out_.push_back(error("bundle-without-channel", bundle.at(bundle.name),
                             fmt::format("bundle \"{}\" is an entry of no channel", bundle.name.text),
                             "add an entry to a channel, or remove the bundle"));
        // If many are missing, adding them one by one is not the solution.
        if (index_.channels.size() != 1 || ++left_out_ > 20) return;
        const Channel& channel = *index_.channels.front();
        if (const auto heads = heads_of(channel); heads.size() == 1)
            out_.back().fix = add_entry(channel, bundle.name, heads.front()->name);
    }

    void check_version(const Bundle& bundle) {
        const auto count = std::count_if(bundle.properties.begin(), bundle.properties.end(),
                                         [](const Property& p) { return p.type == property_type::package; });
        if (count != 1) {
            out_.push_back(
                error("package-property", second_package_property(bundle),
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
        if (property && report_misspelt_key(bundle, *property->property->value)) return;
        const Text package = property ? property->package : Text{};
        // If the bundle's package does not exist, that is the mistake, and it is reported elsewhere.
        if (package.text != bundle.package.text && (!index_.packages.empty() || package.empty()))
            out_.push_back(error(
                "package-property", property ? bundle.at(package) : bundle.start(),
                package.empty() && property
                    ? fmt::format("the olm.package property of \"{}\" has no packageName", bundle.name.text)
                    : fmt::format("the olm.package property of \"{}\" names package \"{}\", but the bundle "
                                  "belongs to \"{}\"",
                                  bundle.name.text, package.text, bundle.package.text),
                package.empty() ? fmt::format("write \"packageName: {}\"", bundle.package.text)
                                : "make both the same"));
        const Value* const written = property ? property->property->value->find("version") : nullptr;
        if (written && !written->is_string() && !written->is_null())
            return; // already reported as property-value
        const Text version = property ? property->version : Text{};
        const auto parsed = semver::Version::parse(version);
        if (!parsed) {
            out_.push_back(error(
                "bundle-version", property ? bundle.at(version) : bundle.start(),
                version.empty() ? fmt::format("bundle \"{}\" has no version", bundle.name.text)
                                : fmt::format("\"{}\" is not a semantic version: {}", version.text,
                                              parsed.error().message),
                version_in(bundle.name) ? fmt::format("write {}, as in its name", version_part(bundle.name))
                                        : "write MAJOR.MINOR.PATCH, as in 1.2.3 or 1.2.3-rc.1"));
            return;
        }
        check_version_in_name(bundle, *property, *parsed);
        std::string full = parsed->to_string();
        if (property->release.empty()) {
            by_version_[std::move(full)].push_back(&bundle);
            return;
        }
        check_release(bundle, *property, *parsed);
        by_version_[full + "-" + std::string(property->release)].push_back(&bundle);
    }

    // The place of the second one, or of the bundle's name.
    static Location second_package_property(const Bundle& bundle) {
        size_t count = 0;
        for (const Property& property : bundle.properties)
            if (property.type == property_type::package && ++count == 2) return bundle.at(property.type);
        if (const Value* const none = find_field(bundle.value, "properties"); none && none->is_null())
            return bundle.at(none->offset());
        return bundle.at(bundle.name);
    }

    // Reports a key that looks like a missing one of olm.package. Returns true if there is one.
    bool report_misspelt_key(const Bundle& bundle, const Value& value) {
        std::vector<std::string_view> missing;
        for (const std::string_view key : {"packageName", "version"})
            if (!find_field(value, key)) missing.push_back(key);
        if (missing.empty()) return false;
        for (const Member& member : value.members()) {
            const std::string_view meant = misspelt(member.key.string(), missing);
            if (meant.empty()) continue;
            const Location where = bundle.at(Text{member.key.string(), member.key.offset()});
            out_.push_back(with_name(error("package-property", where,
                                           fmt::format("olm.package has no field \"{}\", and lacks \"{}\"",
                                                       member.key.string(), meant),
                                           fmt::format("did you mean {}?", meant)),
                                     where, member.key.string(), meant, FixEffect::key));
            out_.back().explains.blob = true;
            return true;
        }
        return false;
    }

    static std::optional<semver::Version> version_in(std::string_view name) {
        auto version = semver::Version::parse(version_part(name));
        return version ? std::optional(*std::move(version)) : std::nullopt;
    }

    // Compares the three numbers. The part after them often differs without meaning; it counts only if the
    // name has none.
    void check_version_in_name(const Bundle& bundle, const PackageProperty& property,
                               const semver::Version& version) {
        if (version_part(bundle.name) == property.version.text) return;
        const auto named = version_in(bundle.name);
        if (!named) return;
        const bool is_same_release =
            named->major == version.major && named->minor == version.minor && named->patch == version.patch;
        const bool is_plain = named->prerelease.empty() && named->build.empty();
        if (is_same_release && (!is_plain || (version.prerelease.empty() && version.build.empty()))) return;
        unlike_names_.emplace_back(
            &bundle,
            finding(is_same_release ? Severity::note : Severity::warning, "version-unlike-name",
                    bundle.at(property.version),
                    fmt::format("bundle \"{}\" has the version {}{}", bundle.name.text, property.version.text,
                                is_same_release && !version.prerelease.empty() ? ", a prerelease" : ""),
                    "correct the version, or the name of the bundle"));
    }

    // If most are so, the numbers in the names have another meaning.
    void report_unlike_names() {
        if (unlike_names_.size() * 2 > index_.bundles.size()) return;
        for (auto& [bundle, unlike] : unlike_names_)
            if (!has_twin_.contains(bundle)) out_.push_back(std::move(unlike));
    }

    void check_release(const Bundle& bundle, const PackageProperty& property,
                       const semver::Version& version) {
        const auto release = semver::Release::parse(property.release);
        if (!release) {
            out_.push_back(error("bundle-release", bundle.at(property.release), release.error().message,
                                 "write numbers or words joined by dots, as in 1 or 2.hotfix"));
            return;
        }
        if (!version.build.empty()) {
            out_.push_back(
                error("bundle-release", bundle.at(property.version),
                      fmt::format("version {} has build metadata, which a bundle with a release cannot have",
                                  property.version.text),
                      fmt::format("remove \"+{}\"", version.build)));
            return; // the name follows from the version
        }
        const std::string wanted =
            fmt::format("{}-v{}-{}", bundle.package.text, property.version.text, property.release.text);
        if (bundle.name != wanted)
            out_.push_back(
                error("bundle-release", bundle.at(bundle.name),
                      fmt::format("a bundle with a release must be called PACKAGE-vVERSION-RELEASE: \"{}\"",
                                  wanted),
                      fmt::format("rename \"{}\", also in its channels", bundle.name.text)));
    }

    static bool is_like_name(const Bundle& bundle) {
        return version_part(bundle.name) == package_property(bundle)->version.text;
    }

    void check_versions_differ() {
        for (const auto& [version, bundles] : by_version_) {
            for (size_t i = 1; i < bundles.size(); ++i) {
                if (bundles[i]->name == bundles[0]->name) continue; // already reported as bundle-duplicate
                // The mistake is most likely where the name says something else.
                const bool is_first_wrong = !is_like_name(*bundles[0]) && is_like_name(*bundles[i]);
                const Bundle& other = is_first_wrong ? *bundles[i] : *bundles[0];
                const Bundle& wrong = is_first_wrong ? *bundles[0] : *bundles[i];
                has_twin_.insert({&other, &wrong});
                out_.push_back(
                    with_note(error("version-duplicate", wrong.at(package_property(wrong)->version),
                                    fmt::format("bundles \"{}\" and \"{}\" have the same version {}",
                                                other.name.text, wrong.name.text, version),
                                    "give one of them another version"),
                              fmt::format("\"{}\" has it", other.name.text),
                              other.at(package_property(other)->version)));
            }
        }
    }

    const PackageIndex& index_;
    const Misnamed misnamed_; // check_channels reports them
    Diagnostics& out_;
    std::unordered_set<std::string_view> entry_names_;
    size_t left_out_ = 0;
    size_t copies_ = 0;
    std::map<std::string, std::vector<const Bundle*>> by_version_;
    std::vector<std::pair<const Bundle*, Diagnostic>> unlike_names_;
    std::unordered_set<const Bundle*> has_twin_; // of its version
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
        for (const Channel* channel : index_.channels)
            for (const ChannelEntry* head : heads_of(*channel)) newest_.insert(head->name);
        for (const Bundle* bundle : index_.bundles) {
            if (bundle->is_unknown) continue;
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
            out_.push_back(error("bundle-image", bundle.at(bundle.image.offset),
                                 fmt::format("bundle \"{}\" has no image", bundle.name.text),
                                 "add \"image: PULLSPEC\""));
    }

    void check_difference(const Bundle& bundle, std::string_view digest) {
        const auto [first, is_new] = bundle_of_image_.try_emplace(digest, &bundle);
        if (is_new || first->second->name == bundle.name.text) return;
        out_.push_back(with_note(warning("image-duplicate", bundle.at(bundle.image),
                                         fmt::format("bundle \"{}\" has the image of bundle \"{}\"",
                                                     bundle.name.text, first->second->name.text),
                                         "write the image of this version"),
                                 "the other one", first->second->at(first->second->image)));
    }

    void check_pull_spec(const Bundle& bundle, const Text& image, std::string_view what) {
        if (image.empty()) return;
        const auto spec = PullSpec::parse(image);
        if (spec && what == "image") {
            if (!spec->digest().empty()) check_difference(bundle, image.text.substr(image.text.rfind('@')));
        }
        if (!spec)
            out_.push_back(error("image-reference", bundle.at(image),
                                 fmt::format("{} \"{}\" of bundle \"{}\" is not a pull spec: {}", what,
                                             image.text, bundle.name.text, spec.error().message)));
        else if (what == "related image" && spec->digest().empty() &&
                 (index_.channels.empty() || newest_.contains(bundle.name)))
            without_digest_.emplace_back(&bundle, &image);
    }

    // One note for the whole package: catalogs have thousands of such images. Only heads of channels count:
    // other bundles are released and stay as they are.
    void note_missing_digests() {
        if (without_digest_.empty()) return;
        const auto [bundle, image] = without_digest_.front();
        out_.push_back(finding(
            Severity::note, "image-without-digest", bundle->at(*image),
            without_digest_.size() == 1
                ? fmt::format("a related image of the newest bundles of package \"{}\" has no digest",
                              index_.name)
                : fmt::format("{} related images of the newest bundles of package \"{}\" have no digest",
                              without_digest_.size(), index_.name),
            "a tag can move, and clusters that mirror images need digests: write NAME@sha256:…"));
    }

    const PackageIndex& index_;
    Diagnostics& out_;
    std::unordered_set<std::string_view> newest_;
    std::unordered_map<std::string_view, const Bundle*> bundle_of_image_;
    std::vector<std::pair<const Bundle*, const Text*>> without_digest_;
};

} // namespace

void check_images(const PackageIndex& index, Diagnostics& out) {
    ImageCheck(index, out).run();
}

} // namespace opcat
