#include "base/text.hpp"
#include "catalog/finding.hpp"
#include "catalog/package_property.hpp"
#include "lint/checks.hpp"
#include "semver/blang_range.hpp"
#include "semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace opcat {
namespace {

// The names of a package's bundles, to suggest for names that are none. Where most are wrong, the first few
// suggestions tell it all, and comparing all with all would take too long.
class Suggestions {
public:
    explicit Suggestions(const PackageIndex& index) {
        for (const Bundle* bundle : index.bundles) names_.push_back(bundle->name);
    }
    std::string of(std::string_view name) {
        if (left_ == 0) return {};
        --left_;
        return did_you_mean(name, names_);
    }

private:
    std::vector<std::string_view> names_;
    size_t left_ = 20;
};

void check_entries(const PackageIndex& index, const Channel& channel, Suggestions& suggestions,
                   Diagnostics& out) {
    if (channel.entries.empty()) {
        out.push_back(error("channel-empty", channel.start(),
                            fmt::format("channel \"{}\" has no entries", channel.name.text),
                            "add entries, or remove the channel"));
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
                                    "the first one stands", channel.at(first->second->name)));
        } else if (!index.bundle_by_name.contains(entry.name)) {
            out.push_back(error(
                "entry-without-bundle",
                entry.name.empty() ? channel.at(entry.offset) : channel.at(entry.name),
                entry.name.empty() ? fmt::format("an entry of channel \"{}\" needs a name", channel.name.text)
                                   : fmt::format("entry \"{}\" of channel \"{}\" has no bundle",
                                                 entry.name.text, channel.name.text),
                suggestions.of(entry.name)));
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

// The same entries are in several channels: each edge is told once.
void check_replaced_versions(const PackageIndex& index, Diagnostics& out) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const Channel* channel : index.channels) {
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
        }
    }
}

} // namespace

void check_channels(const PackageIndex& index, Diagnostics& out) {
    Suggestions suggestions(index);
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
                                    "the first definition stands", first.at(first.name)));
        check_entries(index, *channel, suggestions, out);
    }
    check_replaced_versions(index, out);
}

void check_skip_ranges(const PackageIndex& package, Diagnostics& out) {
    std::vector<std::pair<const Bundle*, semver::Version>> versions;
    for (const Bundle* bundle : package.bundles)
        if (const auto property = package_property(*bundle))
            if (auto version = semver::Version::parse(property->version))
                versions.emplace_back(bundle, *std::move(version));

    // The same few ranges stand in many entries.
    struct Covered {
        std::optional<semver::ParseError> problem;
        std::vector<const Bundle*> bundles;
    };
    std::map<std::string_view, Covered> ranges;
    const auto covered_by = [&](std::string_view text) -> const Covered& {
        const auto [found, is_new] = ranges.try_emplace(text);
        if (!is_new) return found->second;
        const auto range = semver::BlangRange::parse(text);
        if (!range)
            found->second.problem = range.error();
        else
            for (const auto& [bundle, version] : versions)
                if (range->contains(version)) found->second.bundles.push_back(bundle);
        return found->second;
    };

    for (const Channel* channel : package.channels) {
        for (const ChannelEntry& entry : channel->entries) {
            if (entry.skip_range.empty()) continue;
            const Covered& covered = covered_by(entry.skip_range);
            const Location where = channel->at(entry.skip_range);
            if (covered.problem) {
                out.push_back(error("skip-range-syntax", where,
                                    fmt::format("skipRange \"{}\" is no range: {}", entry.skip_range.text,
                                                covered.problem->message),
                                    "write comparisons joined by blanks, as in \">=1.0.0 <1.2.3\"; `opcat "
                                    "semver match` tries one"));
                continue;
            }
            const bool itself = std::any_of(covered.bundles.begin(), covered.bundles.end(),
                                            [&](const Bundle* b) { return b->name == entry.name.text; });
            if (itself)
                out.push_back(warning("skip-range-self", where,
                                      fmt::format("the skipRange \"{}\" of {} covers {} itself",
                                                  entry.skip_range.text, entry.name.text, entry.name.text),
                                      "end the range below its own version"));
            else if (covered.bundles.empty())
                out.push_back(
                    warning("skip-range-empty", where,
                            fmt::format("the skipRange \"{}\" of {} covers no version of the package",
                                        entry.skip_range.text, entry.name.text),
                            "if it is for versions of another catalog, all is well; else correct the range"));
        }
    }
}

} // namespace opcat
