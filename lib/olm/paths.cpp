#include "olm/paths.hpp"

#include "olm/rank_set.hpp"
#include "olm/v1_rules.hpp"

#include <algorithm>

namespace opcat {
namespace {

constexpr uint32_t unreached = ~uint32_t{0};

// All edges to a node from what is installed, by entries of some channels.
std::vector<EdgeOrigin> edges_to(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                                 NodeId to, const Installed& from) {
    std::vector<EdgeOrigin> all;
    for (const ChannelGraph* channel : channels)
        if (const GraphEntry* entry = channel->find(to)) {
            const auto some = edges_from(graph, *channel, *entry, from);
            all.insert(all.end(), some.begin(), some.end());
        }
    return all;
}

// Follows `next` from the first step on; `refuses` says which node ends the walk.
template <typename Refuses>
Walk follow(const PackageGraph& graph, std::span<const ChannelGraph* const> channels, const Installed& from,
            NodeId first, const std::vector<NodeId>& next, Refuses refuses) {
    Walk walk;
    std::vector<bool> seen(graph.nodes.size());
    Installed current = from;
    if (from.node != no_node) seen[from.node] = true;
    for (NodeId to = first; to != no_node; to = next[to]) {
        walk.steps.push_back({to, edges_to(graph, channels, to, current)});
        if (refuses(to)) {
            walk.end = WalkEnd::refused;
            return walk;
        }
        if (seen[to]) {
            walk.end = WalkEnd::loop;
            return walk;
        }
        seen[to] = true;
        current = installed_node(graph, to);
    }
    return walk;
}

} // namespace

bool Walk::passes(NodeId node) const {
    return std::any_of(steps.begin(), steps.end(), [&](const PathStep& step) { return step.to == node; });
}

Walk walk_classic(const PackageGraph& graph, const ChannelGraph& channel, const Installed& from) {
    if (channel.problem != ChainProblem::none) return {{}, WalkEnd::unordered};
    const ChannelGraph* const channels[] = {&channel};
    return follow(graph, channels, from, classic_successors(graph, channel, from).next,
                  classic_next_steps(graph, channel), [](NodeId) { return false; });
}

Walk walk_v1(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
             const Installed& from) {
    Walk walk = follow(
        graph, channels, from, v1_successors(graph, channels, from).next, v1_next_steps(graph, channels),
        [&](NodeId to) { return dependency_refused_by_v1(*graph.nodes[to].bundle) != nullptr; });
    if (walk.end != WalkEnd::no_successor) return walk;
    const Installed last = walk.steps.empty() ? from : installed_node(graph, walk.steps.back().to);
    if (v1_successors(graph, channels, last).held_back) walk.end = WalkEnd::held_back;
    return walk;
}

ShortestPaths::ShortestPaths(const PackageGraph& graph, const EdgeScope& scope, NodeId target)
    : graph_(graph), target_(target), ways_to_(graph.nodes.size()), distance_(graph.nodes.size(), unreached),
      next_(graph.nodes.size(), no_node) {
    for (const ChannelGraph* channel : scope.channels) {
        const auto use = [&](const GraphEntry& entry) {
            if (!graph.nodes[entry.node].is_virtual()) ways_to_[entry.node].push_back({channel, &entry});
        };
        if (!scope.chains_only)
            std::for_each(channel->entries.begin(), channel->entries.end(), use);
        else if (channel->problem == ChainProblem::none)
            for (const uint32_t place : channel->chain) use(channel->entries[place]);
    }

    // Backwards from the target, level by level.
    RankSet unreached_ranks(static_cast<uint32_t>(graph.by_version.size()));
    std::vector<NodeId> queue{target};
    distance_[target] = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
        const NodeId to = queue[i];
        const auto reach = [&](NodeId from) {
            if (distance_[from] != unreached) return;
            distance_[from] = distance_[to] + 1;
            next_[from] = to;
            queue.push_back(from);
        };
        for (const auto& [channel, entry] : ways_to_[to]) {
            if (entry->replaces != no_node) reach(entry->replaces);
            for (const NodeId skip : graph.skips_of(*entry)) reach(skip);
            if (entry->skip_range == no_range) continue;
            for (const RankInterval& interval : graph.skip_ranges[entry->skip_range].covers)
                for (uint32_t rank = unreached_ranks.first_from(interval.begin); rank < interval.end;
                     rank = unreached_ranks.first_from(rank + 1)) {
                    reach(graph.by_version[rank]);
                    unreached_ranks.remove(rank);
                }
        }
    }
}

std::optional<uint32_t> ShortestPaths::distance(NodeId from) const {
    if (distance_[from] == unreached) return std::nullopt;
    return distance_[from];
}

std::vector<EdgeOrigin> ShortestPaths::edges(const Installed& from, NodeId to) const {
    std::vector<EdgeOrigin> all;
    for (const auto& [channel, entry] : ways_to_[to]) {
        const auto some = edges_from(graph_, *channel, *entry, from);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::optional<std::vector<PathStep>> ShortestPaths::path(const Installed& from) const {
    std::vector<PathStep> steps;
    Installed current = from;
    if (from.node == no_node) {
        // The first step of a version that is in no node can only be by a skipRange.
        NodeId best = no_node;
        for (NodeId node = 0; node < graph_.nodes.size(); ++node)
            if (distance_[node] != unreached && (best == no_node || distance_[node] < distance_[best]) &&
                !edges(from, node).empty())
                best = node;
        if (best == no_node) return std::nullopt;
        steps.push_back({best, edges(from, best)});
        current = installed_node(graph_, best);
    }
    if (distance_[current.node] == unreached) return std::nullopt;
    while (current.node != target_) {
        const NodeId next = next_[current.node];
        steps.push_back({next, edges(current, next)});
        current = installed_node(graph_, next);
    }
    return steps;
}

} // namespace opcat
