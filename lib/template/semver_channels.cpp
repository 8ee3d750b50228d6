#include "opcat/template/semver_channels.hpp"

#include "opcat/base/work.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

// The channel that was best so far. Nothing but a version above 0.0.0 beats the beginning within candidate,
// unless it is in a channel at all.
struct Best {
    size_t archetype = 0;
    int width = 0; // 0: no channel, 1: major, 2: minor
    semver::Version version;
    std::string name;
};

bool better(const Best& a, const Best& b, int preferred) {
    if (a.archetype != b.archetype) return a.archetype > b.archetype;
    if (a.version != b.version) return a.version > b.version;
    if (a.width == b.width) return false;
    if (a.width == preferred || b.width == preferred) return a.width == preferred;
    return a.width > b.width;
}

bool same_major(const VersionedBundle& a, const VersionedBundle& b) {
    return a.version.major == b.version.major;
}

bool same_minor(const VersionedBundle& a, const VersionedBundle& b) {
    return same_major(a, b) && a.version.minor == b.version.minor;
}

// The cost of a name among the skips until it is written, where looking at a bundle costs 1.
constexpr uint64_t steps_of_skip = 40;

// Entries for bundles of one major version, ascending.
std::vector<PlannedEntry> link(std::span<const VersionedBundle> bundles, Work& work) {
    std::vector<PlannedEntry> entries;
    std::string_view previous_minor;
    for (size_t i = 0; i < bundles.size(); ++i) {
        PlannedEntry entry{bundles[i].name, {}, {}};
        const bool last_of_minor = i + 1 == bundles.size() || !same_minor(bundles[i], bundles[i + 1]);
        if (last_of_minor) {
            work.take_or_throw(i * steps_of_skip, "writing what the channels of the template skip",
                               "divide the bundles among more major versions");
            entry.replaces = previous_minor;
            for (const VersionedBundle& lower : bundles.first(i))
                if (lower.name != previous_minor) entry.skips.push_back(lower.name);
            std::sort(entry.skips.begin(), entry.skips.end());
            previous_minor = bundles[i].name;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

} // namespace

const PlannedChannel* PlannedChannels::default_channel() const {
    for (const PlannedChannel& channel : channels)
        if (channel.name == default_name) return &channel;
    return nullptr;
}

PlannedChannels plan_channels(Archetypes archetypes, const SemverPlan& plan) {
    Work work;
    const int preferred = plan.preference == ChannelWidth::major ? 1 : 2;
    Best best;
    std::map<std::string, PlannedChannel, std::less<>> channels;
    const auto add = [&](size_t archetype, int width, std::string name, const VersionedBundle& bundle,
                         const PlannedEntry& entry) {
        const auto [at, is_new] = channels.try_emplace(name);
        if (is_new) {
            at->second.name = name;
            Best candidate{archetype, width, bundle.version, std::move(name)};
            if (better(candidate, best, preferred)) best = std::move(candidate);
        }
        at->second.entries.push_back(entry);
        at->second.head = bundle.name;
    };
    for (size_t archetype = 0; archetype < archetypes.size(); ++archetype) {
        std::vector<VersionedBundle>& bundles = archetypes[archetype];
        std::sort(bundles.begin(), bundles.end(),
                  [](const VersionedBundle& a, const VersionedBundle& b) { return a.version < b.version; });
        for (auto begin = bundles.begin(); begin != bundles.end();) {
            const auto end = std::find_if(begin, bundles.end(),
                                          [&](const VersionedBundle& b) { return !same_major(*begin, b); });
            const std::vector<PlannedEntry> entries = link({begin, end}, work);
            for (size_t i = 0; i < entries.size(); ++i) {
                const VersionedBundle& bundle = *(begin + static_cast<std::ptrdiff_t>(i));
                const std::string_view stem = archetype_names[archetype];
                if (plan.major_channels)
                    add(archetype, 1, fmt::format("{}-v{}", stem, bundle.version.major), bundle, entries[i]);
                if (plan.minor_channels)
                    add(archetype, 2,
                        fmt::format("{}-v{}.{}", stem, bundle.version.major, bundle.version.minor), bundle,
                        entries[i]);
            }
            begin = end;
        }
    }
    PlannedChannels result;
    for (auto& [name, channel] : channels) result.channels.push_back(std::move(channel));
    result.default_name = std::move(best.name);
    return result;
}

} // namespace opcat
