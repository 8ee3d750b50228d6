#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/edge_names.hpp"
#include "opcat/lint/fixes.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/range_problem.hpp"
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

// The only bundle without an entry, and the entry without a bundle that is meant to be its.
Diagnostic misnamed_finding(const Channel& channel, const MisnamedPair& pair) {
    const ChannelEntry& entry = *pair.first_entry;
    const Bundle& bundle = *pair.bundle;
    const Location of_entry = channel.at(entry.name);
    const Location of_bundle = bundle.at(bundle.name);
    Diagnostic found =
        pair.is_bundle_wrong
            ? error("bundle-without-channel", of_bundle,
                    fmt::format("bundle \"{}\" is an entry of no channel, and entry \"{}\" of "
                                "channel \"{}\" has no bundle",
                                bundle.name.text, entry.name.text, channel.name.text),
                    fmt::format("did you mean {}?", entry.name.text))
            : error("entry-without-bundle", of_entry,
                    fmt::format("entry \"{}\" of channel \"{}\" has no bundle, and bundle \"{}\" "
                                "is an entry of no channel",
                                entry.name.text, channel.name.text, bundle.name.text),
                    fmt::format("did you mean {}?", bundle.name.text));
    found = pair.is_bundle_wrong
                ? with_name(std::move(found), of_bundle, bundle.name, entry.name, FixEffect::text, false)
                : with_name(std::move(found), of_entry, entry.name, bundle.name, FixEffect::text, false);
    found.notes.push_back(pair.is_bundle_wrong ? Note{"the entry", of_entry} : Note{"the bundle", of_bundle});
    found.explains = {true, true, {std::string(bundle.package.text)}};
    found.explains.blob = pair.is_bundle_wrong;
    return found;
}

bool is_same(const ChannelEntry& a, const ChannelEntry& b) {
    return a.name == b.name && a.replaces == b.replaces && a.skip_range == b.skip_range &&
           std::equal(a.skips.begin(), a.skips.end(), b.skips.begin(), b.skips.end());
}

void check_entries(const PackageIndex& index, const Channel& channel, Suggestions& suggestions,
                   const Misnamed& misnamed, Diagnostics& out) {
    if (channel.entries.empty()) {
        out.push_back(error("channel-empty", channel.start(),
                            fmt::format("channel \"{}\" has no entries", channel.name.text),
                            "add entries, or remove the channel"));
        out.back().explains.packages = {std::string(index.name)};
        return;
    }
    std::unordered_map<std::string_view, const ChannelEntry*> seen;
    for (const ChannelEntry& entry : channel.entries) {
        const auto [first, is_new] = seen.try_emplace(entry.name, &entry);
        if (!is_new) {
            out.push_back(with_note(error("entry-duplicate", channel.at(entry.name),
                                          fmt::format("channel \"{}\" has the entry \"{}\" twice",
                                                      channel.name.text, entry.name.text),
                                          "join their replaces, skips and skipRange in one entry"),
                                    "the first one", channel.at(first->second->name)));
            if (channel.file && is_same(entry, *first->second))
                out.back().fix = remove_item(*channel.file, entry.offset, "remove the second entry");
        } else if (!index.bundle_by_name.contains(entry.name)) {
            if (const auto pair = misnamed.by_entry.find(entry.name); pair != misnamed.by_entry.end()) {
                if (pair->second.first_entry == &entry)
                    out.push_back(misnamed_finding(channel, pair->second));
                continue;
            }
            out.push_back(error(
                "entry-without-bundle",
                entry.name.empty() ? channel.at(entry.offset) : channel.at(entry.name),
                entry.name.empty() ? fmt::format("an entry of channel \"{}\" needs a name", channel.name.text)
                                   : fmt::format("entry \"{}\" of channel \"{}\" has no bundle",
                                                 entry.name.text, channel.name.text),
                suggestions.of(entry.name)));
            out.back().explains.upgrades = true;
        }
        for (const Text& skip : entry.skips)
            if (skip.empty())
                out.push_back(error("skip-empty", channel.at(skip.offset),
                                    fmt::format("an empty name in the skips of \"{}\"", entry.name.text),
                                    "name the bundle to skip, or remove the item"));
    }
}

std::optional<semver::Version> version_of(const PackageIndex& index, std::string_view bundle) {
    const auto found = index.bundle_by_name.find(bundle);
    if (found == index.bundle_by_name.end()) return std::nullopt;
    const auto property = package_property(*found->second);
    if (!property) return std::nullopt;
    auto version = semver::Version::parse(property->version);
    return version ? std::optional(*std::move(version)) : std::nullopt;
}

// The entries that the chains of replaces from the heads reach; nothing if there is no head.
std::unordered_set<std::string_view> below_heads(const Channel& channel) {
    std::unordered_map<std::string_view, const ChannelEntry*> by_name;
    std::unordered_set<std::string_view> named;
    for (const ChannelEntry& entry : channel.entries) {
        by_name[entry.name] = &entry;
        named.insert(entry.replaces);
        named.insert(entry.skips.begin(), entry.skips.end());
    }
    std::unordered_set<std::string_view> reached;
    for (const ChannelEntry& entry : channel.entries) {
        if (named.contains(entry.name)) continue;
        for (auto at = by_name.find(entry.name); at != by_name.end() && reached.insert(at->first).second;)
            at = by_name.find(at->second->replaces);
    }
    return reached;
}

// The same entries are in several channels: each edge is reported once.
void check_replaced_versions(const PackageIndex& index, Diagnostics& out) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const Channel* channel : index.channels) {
        std::optional<std::unordered_set<std::string_view>> reached;
        for (const ChannelEntry& entry : channel->entries) {
            if (entry.replaces.empty() || !seen.emplace(entry.name, entry.replaces).second) continue;
            const auto version = version_of(index, entry.name);
            const auto replaced = version_of(index, entry.replaces);
            if (!version || !replaced || *replaced <= *version) continue;
            out.push_back(
                warning("replaces-newer", channel->at(entry.replaces),
                        fmt::format("{} replaces {}, which is newer: {} comes before {}", entry.name.text,
                                    entry.replaces.text, version->to_string(), replaced->to_string()),
                        "let the newer version replace the older one"));
            // That nothing leads to it is then its fault; what is wrong with the chain itself is said
            // elsewhere.
            if (!reached) reached = below_heads(*channel);
            out.back().explains.upgrades = !reached->empty() && !reached->contains(entry.name);
        }
    }
}

} // namespace

void check_channels(const PackageIndex& index, Diagnostics& out) {
    Suggestions suggestions(blob_names(index.bundles));
    const Misnamed misnamed = find_misnamed(index);
    size_t copies = 0;
    for (const Channel* channel : index.channels) {
        if (channel->name.empty())
            out.push_back(
                error("channel-name", channel->start(), "a channel needs a name", "add \"name: NAME\""));
        const Channel& first = *index.channel_by_name.at(channel->name);
        if (&first != channel)
            out.push_back(with_note(error("channel-duplicate", channel->at(channel->name),
                                          fmt::format("channel \"{}\" of package \"{}\" is defined again",
                                                      channel->name.text, index.name),
                                          "put all entries into one olm.channel blob"),
                                    "the first definition", first.at(first.name)));
        if (&first != channel && ++copies <= 100) out.back().fix = remove_copy(first, *channel);
        check_entries(index, *channel, suggestions, misnamed, out);
    }
    check_replaced_versions(index, out);
}

namespace {

bool has_single_bar(std::string_view range) {
    for (size_t at = range.find('|'); at != range.npos; at = range.find('|', at)) {
        const size_t end = std::min(range.find_first_not_of('|', at), range.size());
        if (end - at == 1) return true;
        at = end;
    }
    return false;
}

} // namespace

void check_skip_ranges(const PackageIndex& package, Diagnostics& out) {
    std::vector<semver::Version> versions;
    std::unordered_multimap<std::string_view, size_t> version_of_bundle; // places in `versions`
    for (const Bundle* bundle : package.bundles)
        if (const auto property = package_property(*bundle))
            if (auto version = semver::Version::parse(property->version)) {
                version_of_bundle.emplace(bundle->name, versions.size());
                versions.push_back(*std::move(version));
            }
    std::vector<semver::Version> sorted = versions;
    std::sort(sorted.begin(), sorted.end());
    const bool knows_all = std::none_of(package.bundles.begin(), package.bundles.end(),
                                        [](const Bundle* bundle) { return bundle->is_unknown; });

    // Many entries have the same few ranges.
    struct Covered {
        std::optional<ParseError> problem;
        std::vector<semver::RankInterval> ranks; // in `sorted`
        bool is_impossible = false;
    };
    std::map<std::string_view, Covered> ranges;
    const auto covered_by = [&](std::string_view text) -> const Covered& {
        const auto [found, is_new] = ranges.try_emplace(text);
        if (!is_new) return found->second;
        const auto range = semver::BlangRange::parse(text);
        if (!range)
            found->second.problem = range.error();
        else {
            found->second.is_impossible = range->is_impossible();
            found->second.ranks = range->ranks_in(
                sorted.size(), [&](size_t rank) -> const semver::Version& { return sorted[rank]; });
        }
        return found->second;
    };
    const auto covers = [&](const Covered& covered, const semver::Version& version) {
        const auto rank =
            static_cast<uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), version) - sorted.begin());
        const auto after = std::ranges::upper_bound(covered.ranks, rank, {}, &semver::RankInterval::begin);
        return after != covered.ranks.begin() && rank < std::prev(after)->end;
    };

    for (const Channel* channel : package.channels) {
        for (const ChannelEntry& entry : channel->entries) {
            if (entry.skip_range.empty()) continue;
            const Covered& covered = covered_by(entry.skip_range);
            const Location where = channel->at(entry.skip_range);
            if (covered.problem) {
                out.push_back(
                    error("skip-range-syntax", where,
                          fmt::format("skipRange \"{}\" is not a range: {}", entry.skip_range.text,
                                      semver::explain_range_problem(entry.skip_range, *covered.problem)),
                          "write comparisons joined by blanks, as in \">=1.0.0 <1.2.3\"; `opcat "
                          "semver match` tries one"));
                continue;
            }
            if (has_single_bar(entry.skip_range)) {
                out.push_back(
                    warning("skip-range-bar", where,
                            fmt::format("the single | in the skipRange \"{}\" is read as a blank: a "
                                        "version has to fit both sides",
                                        entry.skip_range.text),
                            "write || if one side is enough, or remove the |"));
                continue;
            }
            if (covered.is_impossible) {
                out.push_back(warning("skip-range-impossible", where,
                                      fmt::format("no version is in the skipRange \"{}\" of {}",
                                                  entry.skip_range.text, entry.name.text),
                                      entry.skip_range.text.find(" - ") == std::string_view::npos
                                          ? "write the lower end first, as in \">=1.0.0 <1.2.3\""
                                          : "\" - \" is of another dialect: write both ends, as in \">=1.0.0 "
                                            "<=1.2.3\""));
                out.back().explains.upgrades = true;
                continue;
            }
            const auto [begin, end] = version_of_bundle.equal_range(entry.name);
            const bool itself = std::any_of(
                begin, end, [&](const auto& own) { return covers(covered, versions[own.second]); });
            if (itself)
                out.push_back(finding(Severity::note, "skip-range-self", where,
                                      fmt::format("the skipRange \"{}\" of {} covers {} itself",
                                                  entry.skip_range.text, entry.name.text, entry.name.text),
                                      "end the range below its own version"));
            else if (covered.ranks.empty() && knows_all)
                out.push_back(
                    finding(Severity::note, "skip-range-empty", where,
                            fmt::format("the skipRange \"{}\" of {} covers no version of the package",
                                        entry.skip_range.text, entry.name.text),
                            "if it is for versions of another catalog, all is well; else correct the range"));
        }
    }
}

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
        // Where the bundle's package does not exist, that is the mistake.
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
        return bundle.at(bundle.name);
    }

    // Where a key of olm.package is missing and another one looks like it.
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

    // What follows the three numbers differs often, and means nothing.
    void check_version_in_name(const Bundle& bundle, const PackageProperty& property,
                               const semver::Version& version) {
        if (version_part(bundle.name) == property.version.text) return;
        const auto named = version_in(bundle.name);
        if (!named ||
            (named->major == version.major && named->minor == version.minor && named->patch == version.patch))
            return;
        unlike_names_.emplace_back(&bundle, warning("version-unlike-name", bundle.at(property.version),
                                                    fmt::format("bundle \"{}\" has the version {}",
                                                                bundle.name.text, property.version.text),
                                                    "correct the version, or the name of the bundle"));
    }

    // If most are so, the numbers in the names have another meaning.
    void report_unlike_names() {
        if (unlike_names_.size() * 2 >= std::max<size_t>(index_.bundles.size(), 2)) return;
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
