#include "opcat/planning/search.hpp"

#include "opcat/resolve/v1/upgrade_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <queue>
#include <unordered_set>

namespace opcat::planning {
namespace {

const PackageBundle* bundle_of(const PackageGraph& graph, NodeId node) {
    const auto found = std::find_if(graph.bundles.begin(), graph.bundles.end(),
                                    [&](const PackageBundle& one) { return one.node == node; });
    return found == graph.bundles.end() ? nullptr : &*found;
}

StopPackage find_package(const Stop& stop, const std::string& package) {
    StopPackage found;
    for (size_t i = 0; i < stop.catalogs.size(); ++i) {
        const PlatformCatalog* const catalog = stop.catalogs[i];
        const PackageGraph* const graph = catalog->index->find(package);
        if (!graph || graph->bundles.empty()) continue;
        found.in_several = found.graph != nullptr;
        found.graph = graph;
        found.catalog = catalog;
        found.place = i;
        found.lifecycle = lifecycle_of(catalog->index->catalog(), package);
    }
    return found;
}

} // namespace

uint32_t SearchResult::furthest_stop() const {
    uint32_t furthest = 0;
    for (const Visit& visit : visits) furthest = std::max(furthest, visit.place.stop);
    return furthest;
}

Search::Search(const InstalledOperator& installed, std::span<const Stop> stops, const PlanOptions& options,
               const Demands& demands)
    : installed_(installed), stops_(stops), options_(options), demands_(demands) {
    for (const Stop& stop : stops) packages_.push_back(find_package(stop, installed.package));
    InstalledVersion first{installed.bundle, installed.version, nullptr, installed.own_max};
    if (const PackageGraph* const graph = packages_.front().graph; graph && !first.name.empty())
        if (const auto node = graph->node_by_name.find(first.name);
            node != graph->node_by_name.end() && graph->nodes[node->second].bundle) {
            first.bundle = graph->nodes[node->second].bundle;
            if (!first.max) first.max = olmv1::max_openshift_version(*first.bundle);
        }
    versions_.push_back(std::move(first));
}

uint32_t Search::channel_index(std::string_view name) {
    const auto [known, is_new] = channel_indexes_.try_emplace(name, static_cast<uint32_t>(channels_.size()));
    if (is_new) channels_.push_back(name);
    return known->second;
}

bool Search::is_known_at(const Place& place) {
    const auto [known, is_new] = known_at_.try_emplace({place.stop, place.version}, false);
    if (!is_new) return known->second;
    const PackageGraph& graph = *packages_[place.stop].graph;
    if (take(graph.node_entries.size()))
        known->second = olmv1::is_known_to(graph, in_catalog(place), installed_.olm);
    return known->second;
}

Installed Search::in_catalog(const Place& place) const {
    const InstalledVersion& version = versions_[place.version];
    Installed installed{no_node, version.name, version.version};
    const PackageGraph& graph = *packages_[place.stop].graph;
    if (const auto node = graph.node_by_name.find(version.name); node != graph.node_by_name.end())
        installed.node = node->second;
    return installed;
}

std::vector<const ChannelGraph*> Search::channels_at(const Place& place) const {
    const PackageGraph& graph = *packages_[place.stop].graph;
    if (place.channel == own_channels && !is_classic() && installed_.channels.empty())
        return graph.all_channels();
    std::vector<const ChannelGraph*> channels;
    const auto add = [&](std::string_view name) {
        if (const ChannelGraph* const channel = graph.find_channel(name)) channels.push_back(channel);
    };
    if (place.channel != own_channels)
        add(channels_[place.channel]);
    else if (!is_classic())
        for (const std::string& name : installed_.channels) add(name);
    return channels;
}

bool Search::has_channel(const Place& place) const {
    return !channels_at(place).empty();
}

bool Search::has_no_order(const Place& place) const {
    const auto channels = channels_at(place);
    return is_classic() && !channels.empty() && channels.front()->problem != ChainProblem::none;
}

bool Search::is_installable(size_t stop, NodeId node) {
    const auto [known, is_new] = installable_.try_emplace({static_cast<uint32_t>(stop), node}, false);
    if (!is_new) return known->second;
    const PackageBundle* const bundle = bundle_of(*packages_[stop].graph, node);
    known->second =
        bundle &&
        (is_classic() || olmv1::can_be_installed(*bundle, olmv1::Installer{.release = options_.olm_release}));
    return known->second;
}

NodeId Search::next(const Place& place) {
    const PackageGraph& graph = *packages_[place.stop].graph;
    const auto channels = channels_at(place);
    if (channels.empty()) return no_node;
    const Installed installed = in_catalog(place);
    NodeId next = no_node;
    if (!is_classic()) {
        if (!take(graph.bundles.size())) return no_node;
        next = v1_successors(graph, channels, installed).next;
    } else if (channels.front()->problem != ChainProblem::none) {
        return no_node;
    } else if (installed.node == no_node || installed.version != graph.nodes[installed.node].version) {
        if (!take(channels.front()->entries.size())) return no_node;
        next = classic_successors(graph, *channels.front(), installed).next;
    } else {
        auto& known = classic_next_[channels.front()];
        if (known.empty() && !take(graph.nodes.size() + channels.front()->entries.size())) return no_node;
        if (known.empty()) known = classic_next_steps(graph, *channels.front());
        next = known[installed.node];
    }
    return next != no_node && is_installable(place.stop, next) ? next : no_node;
}

std::vector<NodeId> Search::steps_by_hand(const Place& place) {
    if (is_classic()) {
        const NodeId only = next(place);
        return only == no_node ? std::vector<NodeId>() : std::vector<NodeId>{only};
    }
    const PackageGraph& graph = *packages_[place.stop].graph;
    std::vector<NodeId> steps;
    const auto channels = channels_at(place);
    if (channels.empty() || !take(graph.bundles.size())) return steps;
    const V1Successors successors = v1_successors(graph, channels, in_catalog(place));
    for (const Successor& one : successors.candidates) {
        const auto& version = graph.nodes[one.node].version;
        if (!version || !is_installable(place.stop, one.node)) continue;
        // It is not determined which one of several bundles with one version OLM takes.
        const RankInterval same = graph.ranks_of(*version);
        const auto bundles =
            std::count_if(graph.by_version.begin() + same.begin, graph.by_version.begin() + same.end,
                          [&](NodeId node) { return !graph.nodes[node].is_virtual(); });
        if (bundles == 1) steps.push_back(one.node);
    }
    return steps;
}

std::vector<EdgeOrigin> Search::edges(const Place& from, NodeId to) const {
    const PackageGraph& graph = *packages_[from.stop].graph;
    std::vector<EdgeOrigin> all;
    for (const ChannelGraph* channel : channels_at(from))
        if (const GraphEntry* const entry = channel->find(to)) {
            const auto some = edges_from(graph, *channel, *entry, in_catalog(from));
            all.insert(all.end(), some.begin(), some.end());
        }
    return all;
}

Place Search::after_upgrade(const Place& place, NodeId to) {
    const auto [known, is_new] =
        version_of_node_.try_emplace({place.stop, to}, static_cast<uint32_t>(versions_.size()));
    if (is_new) {
        const GraphNode& node = packages_[place.stop].graph->nodes[to];
        versions_.push_back(
            {node.name, node.version, node.bundle, olmv1::max_openshift_version(*node.bundle)});
    }
    return {place.stop, known->second, place.channel};
}

// Returns the channels that lead on now or may do so in the next catalog, and those that have the installed
// version; the default channel first.
const std::vector<uint32_t>& Search::channels_to_switch_to(const Place& place) {
    static const std::vector<uint32_t> none;
    if (!is_classic() && place.channel == own_channels && installed_.channels.empty()) return none;
    const PackageGraph& graph = *packages_[place.stop].graph;
    const Installed installed = in_catalog(place);
    const auto look = [&] {
        std::vector<uint32_t> found;
        for (const ChannelGraph& channel : graph.channels) {
            if (!take(1)) break;
            if (is_classic() && channel.problem != ChainProblem::none) continue;
            const Place there{place.stop, place.version, channel_index(channel.name)};
            const bool has_it = installed.node != no_node && channel.find(installed.node);
            const PackageGraph* const next_graph =
                place.stop + 1 < stops_.size() ? packages_[place.stop + 1].graph : nullptr;
            const bool goes_on = next_graph && next_graph->find_channel(channel.name);
            if (!has_it && !goes_on && next(there) == no_node) continue;
            found.push_back(there.channel);
            if (channel.is_default) std::swap(found.front(), found.back());
        }
        return found;
    };
    auto [known, is_new] = switches_.try_emplace({place.stop, place.version});
    if (is_new) known->second = look();
    return known->second;
}

const LifecycleVersion* Search::lifecycle(size_t stop, const InstalledVersion& version) const {
    const auto& lifecycle = packages_[stop].lifecycle;
    if (!lifecycle || !version.version) return nullptr;
    return lifecycle->find(version.version->version.major, version.version->version.minor);
}

Compatibility declared_for(const LifecycleVersion& lifecycle, const MinorVersion& openshift) {
    constexpr MinorVersion last_of_four{4, 23};
    constexpr MinorVersion five{5, 0};
    if (olmv1::is_same_release(openshift, five))
        return compatibility(lifecycle, {last_of_four.to_string(), five.to_string()});
    return compatibility(lifecycle, {openshift.to_string()});
}

bool Search::may_stay(const Place& place) const {
    const LifecycleVersion* const known = lifecycle(place.stop, version(place));
    if (!known) return true;
    return support_at(*known, options_.at).state != Support::State::ended &&
           declared_for(*known, stops_[place.stop].version) != Compatibility::left_out;
}

bool Search::meets_demands(const Place& place) const {
    const Bundle* const bundle = version(place).bundle;
    return std::all_of(demands_.all.begin(), demands_.all.end(), [&](const Demand& demand) {
        return place.stop < demand.from_stop || (bundle && demands_.facts->fulfils(*bundle, demand));
    });
}

HopAnswer Search::can_leave(const Place& place) {
    const Stop& next = stops_[place.stop + 1];
    const std::string openshift = next.version.to_string();
    const InstalledVersion& version = versions_[place.version];
    const auto blocked = [](Obstacle::Kind kind, std::string text) {
        return HopAnswer{false, {}, Obstacle{kind, std::move(text)}};
    };
    const std::string name = version.name.empty() ? installed_.describe() : std::string(version.name);
    if (!version.max)
        return {false,
                fmt::format("the catalogs of OpenShift {} do not have {}, so its olm.maxOpenShiftVersion is "
                            "not known",
                            stops_.front().version.to_string(), name),
                {}};
    if (!*version.max) return blocked(Obstacle::Kind::bad_max, version.max->error());
    if (!olmv1::allows(*version.max, next.version))
        return blocked(Obstacle::Kind::max, fmt::format("olm.maxOpenShiftVersion of {} is {}", name,
                                                        (**version.max)->to_string()));
    if (next.catalogs.empty())
        return {false, fmt::format("no catalog is given for OpenShift {}", openshift), {}};
    const StopPackage& package = packages_[place.stop + 1];
    if (package.in_several)
        return {
            false,
            fmt::format("several catalogs of OpenShift {} have package {}", openshift, installed_.package),
            {}};
    if (!package.graph)
        return blocked(Obstacle::Kind::package_gone, fmt::format("no catalog of OpenShift {} has package {}",
                                                                 openshift, installed_.package));
    // A Subscription names one CatalogSource; OLM v1 takes the package from any ClusterCatalog.
    if (const StopPackage& here = packages_[place.stop]; is_classic() && package.place != here.place)
        return {false,
                fmt::format(
                    "OpenShift {} has it in {}, and OpenShift {} in {}: with OLM classic the CatalogSource "
                    "of its Subscription must have both (name the catalogs of each version in "
                    "one order)",
                    stops_[place.stop].version.to_string(), here.catalog->reference, openshift,
                    package.catalog->reference),
                {}};
    const Place there{place.stop + 1, place.version, place.channel};
    if (!is_known_at(there))
        return blocked(Obstacle::Kind::version_gone,
                       fmt::format("the catalog of OpenShift {} has neither {} nor an upgrade from it",
                                   openshift, name));
    if (has_no_order(there))
        return blocked(Obstacle::Kind::no_order,
                       fmt::format("channel {} of OpenShift {} {}", channels_at(there).front()->name,
                                   openshift, describe(channels_at(there).front()->problem)));
    if (next.passing && !has_channel(there))
        return blocked(Obstacle::Kind::channel_gone, fmt::format("the catalog of OpenShift {} does not have "
                                                                 "channel {}",
                                                                 openshift, channel_name(place)));
    // If the channel is not known, the first step names it.
    return {!is_classic() || place.channel != own_channels, {}, {}};
}

namespace {

// Work by hand counts first, then all steps; of equal ways the one that was found first.
struct Cost {
    uint32_t by_hand = 0;
    uint32_t steps = 0;
    uint32_t found = 0;
    friend auto operator<=>(const Cost&, const Cost&) = default;
};

struct Open {
    Cost cost;
    Visit visit;
    friend bool operator<(const Open& a, const Open& b) { return b.cost < a.cost; } // the cheapest is on top
};

uint64_t key_of(const Place& place) {
    // Channels and stops are few.
    return (uint64_t{place.stop} << 56) | (uint64_t{place.channel & 0xffffff} << 32) |
           uint64_t{place.version};
}

} // namespace

SearchResult Search::run(const SearchMode& mode) {
    SearchResult result;
    std::unordered_set<uint64_t> known;
    std::priority_queue<Open> open;
    uint32_t found = 0;
    const uint32_t channel = is_classic() && installed_.channels.size() == 1
                                 ? channel_index(installed_.channels.front())
                                 : own_channels;
    open.push({{}, {{0, 0, channel}, 0, MoveKind::start}});
    // Each takes memory.
    constexpr uint64_t steps_of_visit = 100;
    while (!open.empty() && take(1)) {
        const auto [cost, visit] = open.top();
        open.pop();
        if (!known.insert(key_of(visit.place)).second) continue;
        if (!take(steps_of_visit)) break;
        const auto at = static_cast<uint32_t>(result.visits.size());
        result.visits.push_back(visit);
        const Place place = visit.place;
        const auto reach = [&, cost = cost](const Place& to, MoveKind move) {
            const bool is_step = move != MoveKind::next_stop;
            const bool is_by_hand = move == MoveKind::switch_channel || (is_step && mode.by_hand);
            if (!known.contains(key_of(to)))
                open.push({{cost.by_hand + is_by_hand, cost.steps + is_step, ++found}, {to, at, move}});
        };
        // An operator that is upgraded by itself does not stay.
        if (!mode.by_hand)
            if (const NodeId to = next(place); to != no_node) {
                reach(after_upgrade(place, to), MoveKind::upgrade);
                continue;
            }
        const bool is_last = place.stop + 1 == stops_.size();
        const bool may_rest = !mode.supported_only || may_stay(place);
        const bool is_enough = meets_demands(place);
        if (is_last && may_rest && is_enough && has_channel(place) && !has_no_order(place)) {
            result.arrived = at;
            return result;
        }
        if (!is_last && is_enough && can_leave(place).open) {
            const Place there{place.stop + 1, place.version, place.channel};
            if (!mode.supported_only || may_stay(there)) reach(there, MoveKind::next_stop);
        }
        if (stops_[place.stop].passing) continue;
        if (mode.by_hand)
            for (const NodeId to : steps_by_hand(place)) reach(after_upgrade(place, to), MoveKind::upgrade);
        const std::vector<uint32_t>& others = channels_to_switch_to(place);
        constexpr uint64_t steps_of_push = 10;
        if (!take(steps_of_push * others.size())) break;
        for (const uint32_t other : others)
            if (other != place.channel) reach({place.stop, place.version, other}, MoveKind::switch_channel);
    }
    return result;
}

} // namespace opcat::planning
