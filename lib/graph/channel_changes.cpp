#include "opcat/graph/channel_changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace opcat {
namespace {

constexpr size_t most_versions_unreduced = 40;
constexpr size_t most_versions_drawn = 300;
constexpr size_t most_edges_compared = 20'000;

using EdgeKey = std::tuple<std::string_view, std::string_view, EdgeKind>;

struct ChannelEdges {
    std::set<EdgeKey> edges;
    std::set<std::string_view> versions;
    std::map<std::string_view, const GraphNode*> nodes;
    bool is_too_large = false;

    ChannelEdges() = default;
    ChannelEdges(const PackageGraph& package, const ChannelGraph& channel) {
        if (count_edges({{&package, {&channel}}}) > most_edges_compared) {
            is_too_large = true;
            return;
        }
        const auto add = [&](NodeId id) {
            const GraphNode& node = package.nodes[id];
            versions.insert(node.name);
            nodes.emplace(node.name, &node);
            return node.name;
        };
        for (const GraphEntry& entry : channel.entries) add(entry.node);
        for (const Edge& edge : edges_of(package, channel)) {
            const std::string_view from = add(edge.from);
            edges.emplace(from, add(edge.to), edge.origin.kind);
        }
    }
};

ComparedChannel compared(std::string_view package, std::string_view channel, const ChannelEdges& old,
                         const ChannelEdges& now) {
    ComparedChannel all;
    all.package = package;
    all.channel = channel;
    if (old.is_too_large || now.is_too_large) {
        all.is_too_large = true;
        return all;
    }
    std::map<std::string_view, const GraphNode*> nodes = now.nodes;
    nodes.insert(old.nodes.begin(), old.nodes.end());
    std::set<std::string_view> touched;
    const auto add = [&](const EdgeKey& edge, std::optional<ChangeKind> change) {
        all.edges.push_back({std::get<0>(edge), std::get<1>(edge), std::get<2>(edge), change});
        if (!change) return;
        touched.insert(std::get<0>(edge));
        touched.insert(std::get<1>(edge));
    };
    for (const EdgeKey& edge : now.edges)
        add(edge, old.edges.contains(edge) ? std::nullopt : std::optional(ChangeKind::added));
    for (const EdgeKey& edge : old.edges)
        if (!now.edges.contains(edge)) add(edge, ChangeKind::removed);
    for (const auto& [name, node] : nodes) {
        const bool is_before = old.versions.contains(name);
        const bool is_after = now.versions.contains(name);
        if (is_before != is_after) touched.insert(name);
        all.versions.push_back({name, is_before, is_after});
    }
    if (all.versions.size() > most_versions_unreduced) {
        all.left_out = all.versions.size() - touched.size();
        std::erase_if(all.versions, [&](const auto& version) { return !touched.contains(version.name); });
        std::erase_if(all.edges, [&](const auto& edge) {
            return !touched.contains(edge.from) || !touched.contains(edge.to);
        });
    }
    if (all.versions.size() > most_versions_drawn) {
        all.is_too_large = true;
        all.versions.clear();
        all.edges.clear();
        return all;
    }
    std::ranges::stable_sort(all.versions, [&](const ComparedVersion& a, const ComparedVersion& b) {
        const GraphNode& one = *nodes.at(a.name);
        const GraphNode& other = *nodes.at(b.name);
        if (!one.version || !other.version) return one.version.has_value() && !other.version;
        return *other.version < *one.version;
    });
    return all;
}

bool is_changed(const ComparedChannel& channel) {
    return channel.is_too_large ||
           std::ranges::any_of(channel.edges,
                               [](const ComparedEdge& edge) { return edge.change.has_value(); }) ||
           std::ranges::any_of(channel.versions, [](const ComparedVersion& version) {
               return version.is_before != version.is_after;
           });
}

} // namespace

std::vector<ComparedChannel> compare_channels(const UpgradeGraph& before, const UpgradeGraph& after,
                                              const DiffOptions& options) {
    std::map<std::string_view, std::pair<const PackageGraph*, const PackageGraph*>> packages;
    for (const PackageGraph& package : before.packages) packages[package.name].first = &package;
    for (const PackageGraph& package : after.packages) packages[package.name].second = &package;
    std::vector<ComparedChannel> all;
    for (const auto& [name, both] : packages) {
        if (!options.packages.empty() && !options.packages.contains(name)) continue;
        std::map<std::string_view, std::pair<const ChannelGraph*, const ChannelGraph*>> channels;
        if (both.first)
            for (const ChannelGraph& channel : both.first->channels) channels[channel.name].first = &channel;
        if (both.second)
            for (const ChannelGraph& channel : both.second->channels)
                channels[channel.name].second = &channel;
        for (const auto& [channel, pair] : channels) {
            ComparedChannel one =
                compared(name, channel, pair.first ? ChannelEdges(*both.first, *pair.first) : ChannelEdges(),
                         pair.second ? ChannelEdges(*both.second, *pair.second) : ChannelEdges());
            one.kind = !pair.first    ? ChangeKind::added
                       : !pair.second ? ChangeKind::removed
                                      : ChangeKind::changed;
            if (is_changed(one)) all.push_back(std::move(one));
        }
    }
    return all;
}

} // namespace opcat
