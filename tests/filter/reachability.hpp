// Upgrade paths, computed independently from the blobs of a catalog, in the simplest possible way.
#pragma once

#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/version.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::test {

using Names = std::set<std::string, std::less<>>;
// From each version to all versions that it can be upgraded to.
using Ways = std::map<std::string, Names, std::less<>>;

class Oracle {
public:
    explicit Oracle(const PackageIndex& package) : package_(package) {
        for (const Bundle* bundle : package.bundles) {
            const auto version = semver::Version::parse(package_property(*bundle)->version);
            versions_.emplace(bundle->name, *version);
        }
    }

    std::vector<const Channel*> channels() const { return package_.channels; }
    Names entries(const Channel& channel) const {
        Names names;
        for (const ChannelEntry& entry : channel.entries) names.emplace(entry.name);
        return names;
    }
    Names bundles() const {
        Names names;
        for (const auto& [name, version] : versions_) names.emplace(name);
        return names;
    }

    // OLM classic sees the edges to entries of the chain: from the head along `replaces`, without skipped
    // ones.
    Ways classic(const Channel& channel) const {
        Names behind;
        Names skipped;
        std::map<std::string_view, const ChannelEntry*> by_name;
        for (const ChannelEntry& entry : channel.entries) {
            by_name[entry.name] = &entry;
            behind.emplace(entry.replaces);
            for (const Text& skip : entry.skips) {
                behind.emplace(skip);
                skipped.emplace(skip);
            }
        }
        std::vector<const ChannelEntry*> chain;
        for (const ChannelEntry& entry : channel.entries) {
            if (behind.contains(entry.name.text)) continue;
            std::set<const ChannelEntry*> seen;
            for (const ChannelEntry* at = &entry; at;) {
                if (!seen.insert(at).second) return {};
                if (!skipped.contains(at->name.text)) chain.push_back(at);
                const auto next = by_name.find(at->replaces);
                at = next == by_name.end() ? nullptr : next->second;
            }
        }
        return close(edges_to(chain));
    }

    // OLM v1 sees the edges to all entries of some channels.
    Ways v1(const std::vector<const Channel*>& channels) const {
        std::vector<const ChannelEntry*> entries;
        for (const Channel* channel : channels)
            for (const ChannelEntry& entry : channel->entries) entries.push_back(&entry);
        return close(edges_to(entries));
    }

private:
    Ways edges_to(const std::vector<const ChannelEntry*>& entries) const {
        Ways edges;
        for (const ChannelEntry* entry : entries) {
            const std::string to(entry->name);
            if (!entry->replaces.empty()) edges[std::string(entry->replaces)].insert(to);
            for (const Text& skip : entry->skips) edges[std::string(skip)].insert(to);
            if (entry->skip_range.empty()) continue;
            const auto range = semver::BlangRange::parse(entry->skip_range);
            if (!range) continue;
            for (const auto& [name, version] : versions_)
                if (range->contains(version)) edges[std::string(name)].insert(to);
        }
        return edges;
    }

    Ways close(const Ways& edges) const {
        Ways all;
        for (const auto& [from, direct] : edges) {
            std::vector<std::string> queue{from};
            Names& reached = all[from];
            for (size_t i = 0; i < queue.size(); ++i) {
                const auto next = edges.find(queue[i]);
                if (next == edges.end()) continue;
                for (const std::string& to : next->second)
                    if (reached.insert(to).second) queue.push_back(to);
            }
            reached.erase(from);
        }
        return all;
    }

    const PackageIndex& package_;
    std::map<std::string_view, semver::Version> versions_;
};

// Only the paths between some versions.
inline Ways among(const Ways& ways, const Names& names) {
    Ways some;
    for (const auto& [from, all] : ways) {
        if (!names.contains(from)) continue;
        for (const std::string& to : all)
            if (names.contains(to)) some[from].insert(to);
    }
    return some;
}

} // namespace opcat::test
