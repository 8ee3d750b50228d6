// Channels and upgrade edges from versions, as in opm's semver template.
#pragma once

#include "opcat/semver/version.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// A channel per major version ("stable-v1") or per minor version ("stable-v1.2").
enum class ChannelWidth : uint8_t { major, minor };

struct VersionedBundle {
    std::string_view name;
    semver::Version version;
};

// From the least to the most stable.
inline constexpr std::array<std::string_view, 3> archetype_names{"candidate", "fast", "stable"};
using Archetypes = std::array<std::vector<VersionedBundle>, archetype_names.size()>;

struct SemverPlan {
    bool major_channels = false;
    bool minor_channels = false;
    ChannelWidth preference = ChannelWidth::minor; // for the default channel, all else being equal
};

struct PlannedEntry {
    std::string_view name;
    std::string_view replaces;
    std::vector<std::string_view> skips; // in byte order
};

struct PlannedChannel {
    std::string name;
    std::vector<PlannedEntry> entries; // in the order of their versions
    std::string_view head;             // the highest version
};

struct PlannedChannels {
    std::vector<PlannedChannel> channels; // by name
    const PlannedChannel* default_channel() const;
    std::string default_name; // may be empty: if the only bundles are prereleases of 0.0.0 in candidate
};

// Within an archetype no two versions are equal. Among the versions of one archetype and major version, the
// highest of each minor version replaces the highest of the previous minor version, and skips all lower ones;
// the others have no edges. The default channel belongs to the most stable archetype that has bundles, and is
// the one with the highest version in its name. Throws Error if it takes too much work.
PlannedChannels plan_channels(Archetypes archetypes, const SemverPlan& plan);

} // namespace opcat
