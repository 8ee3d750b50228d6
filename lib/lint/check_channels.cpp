#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/edge_names.hpp"
#include "opcat/lint/fixes.hpp"
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
    found.explains = {.blob = pair.is_bundle_wrong,
                      .blob_at = {},
                      .upgrades = true,
                      .packages = {std::string(bundle.package.text)}};
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
            // If no edge leads to the entry, this finding explains that. Mistakes of the chain itself are
            // reported elsewhere.
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

} // namespace opcat
