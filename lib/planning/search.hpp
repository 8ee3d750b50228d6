// The ways of one operator along the minor versions of OpenShift, as a search over what is installed where.
#pragma once

#include "opcat/base/work.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/planning/plan.hpp"

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace opcat::planning {

// A package in the catalogs of one stop.
struct StopPackage {
    const PackageGraph* graph = nullptr; // nullptr: no catalog has bundles of it
    const PlatformCatalog* catalog = nullptr;
    size_t place = 0; // of the catalog among those of the stop
    std::optional<Lifecycle> lifecycle;
    bool in_several = false; // catalogs: nobody knows which one counts
};

// A version that can be installed: a bundle of a stop's catalog, or what was installed at first.
struct InstalledVersion {
    std::string_view name; // empty: not known
    std::optional<semver::VersionRelease> version;
    const Bundle* bundle = nullptr;
    std::optional<MaxOpenShift> max; // nothing: not known
};

// The place of an operator: indexes of a stop, of a version, and of a channel.
struct Place {
    uint32_t stop = 0;
    uint32_t version = 0;
    uint32_t channel = 0;
};
// OLM classic: the channel is not known. OLM v1: the channels that it was installed with.
inline constexpr uint32_t own_channels = ~uint32_t{0};

enum class MoveKind : uint8_t { start, upgrade, switch_channel, next_stop };

struct Visit {
    Place place;
    uint32_t from = 0; // index of a visit
    MoveKind move = MoveKind::start;
};

// Says if an operator can go from a place to the next stop.
struct HopAnswer {
    bool open = false;
    std::string unknown;              // why nobody knows; else empty
    std::optional<Obstacle> obstacle; // if it is known not to be
};

struct SearchMode {
    bool by_hand = false;        // upgrades are made one by one, and only if they are wanted
    bool supported_only = false; // nothing that is known to be out of support, or to be incompatible, stays
};

struct SearchResult {
    std::vector<Visit> visits;       // the nearest first
    std::optional<uint32_t> arrived; // the first visit at the last stop that may stay
    uint32_t furthest_stop() const;
};

// What a version declares about a minor version of OpenShift, which may have two names.
Compatibility declared_for(const LifecycleVersion& lifecycle, const MinorVersion& openshift);

class Search {
public:
    // Refers to its arguments.
    Search(const InstalledOperator& installed, std::span<const Stop> stops, const PlanOptions& options,
           const Demands& demands);

    const StopPackage& package(size_t stop) const { return packages_[stop]; }
    bool is_classic() const { return installed_.olm == OlmGeneration::classic; }

    // Nearest first, so that `arrived` has the fewest steps by hand, and of such ways the fewest steps in
    // all. Not complete if it gives up.
    SearchResult run(const SearchMode& mode);
    HopAnswer can_leave(const Place& place);
    // Nobody knows that it is out of support on the day asked about, or incompatible with the stop's version.
    bool may_stay(const Place& place) const;
    // The entry of the version in the stop's lifecycle; nullptr: it has none.
    const LifecycleVersion* lifecycle(size_t stop, const InstalledVersion& version) const;

    const InstalledVersion& version(const Place& place) const { return versions_[place.version]; }
    std::string_view channel_name(const Place& place) const {
        return place.channel == own_channels ? std::string_view() : channels_[place.channel];
    }
    Installed in_catalog(const Place& place) const;
    // Returns what the resolver takes there by itself, without channels that nobody has named; no_node: it
    // stays.
    NodeId next(const Place& place);
    // All that the resolver can be brought to take: OLM classic the next step only.
    std::vector<NodeId> steps_by_hand(const Place& place);
    std::vector<EdgeOrigin> edges(const Place& from, NodeId to) const;
    std::vector<const ChannelGraph*> channels_at(const Place& place) const;
    // OLM classic cannot order the channel there.
    bool has_no_order(const Place& place) const;
    Place after_upgrade(const Place& place, NodeId to);
    Place in_channel(const Place& place, std::string_view channel) {
        return {place.stop, place.version, channel_index(channel)};
    }
    // A limit is reached: what is not found is not known not to be there.
    bool gave_up() const { return gave_up_; }

private:
    bool has_channel(const Place& place) const;
    bool meets_demands(const Place& place) const;
    bool is_installable(size_t stop, NodeId node);
    const std::vector<uint32_t>& channels_to_switch_to(const Place& place);
    uint32_t channel_index(std::string_view name);
    bool is_known_at(const Place& place);
    bool take(uint64_t steps) {
        gave_up_ = gave_up_ || !work_.take(steps);
        return !gave_up_;
    }

    const InstalledOperator& installed_;
    std::span<const Stop> stops_;
    const PlanOptions& options_;
    const Demands& demands_;
    std::vector<StopPackage> packages_;
    std::vector<InstalledVersion> versions_;
    std::map<std::pair<uint32_t, NodeId>, uint32_t> version_of_node_;
    std::vector<std::string_view> channels_;
    std::unordered_map<std::string_view, uint32_t> channel_indexes_;
    std::map<std::pair<uint32_t, uint32_t>, bool> known_at_;
    Work work_;
    bool gave_up_ = false;
    std::map<const ChannelGraph*, std::vector<NodeId>> classic_next_;
    std::map<std::pair<uint32_t, NodeId>, bool> installable_;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> switches_;
};

} // namespace opcat::planning
