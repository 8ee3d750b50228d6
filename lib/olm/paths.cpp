#include "opcat/olm/paths.hpp"

#include "opcat/olm/next_steps.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <algorithm>

namespace opcat {
namespace {

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

// Follows `next` from the first step on, for `most` steps; `refuses` says which node ends the walk.
template <typename Refuses>
Walk follow(const PackageGraph& graph, std::span<const ChannelGraph* const> channels, const Installed& from,
            NodeId first, const std::vector<NodeId>& next, size_t most, Refuses refuses) {
    Walk walk;
    Installed current = from;
    const bool circles = walk_ends_in_circle(from.node, [&](NodeId at) -> std::optional<NodeId> {
        if (walk.end == WalkEnd::refused) return std::nullopt;
        const NodeId to = walk.steps.empty() ? first : next[at];
        if (to == no_node) return std::nullopt;
        if (walk.steps.size() == most) {
            walk.end = WalkEnd::cut;
            return std::nullopt;
        }
        walk.steps.push_back({to, edges_to(graph, channels, to, current)});
        if (refuses(to)) walk.end = WalkEnd::refused;
        current = installed_node(graph, to);
        return to;
    });
    if (circles && walk.end != WalkEnd::refused) walk.end = WalkEnd::loop;
    return walk;
}

} // namespace

bool Walk::passes(NodeId node) const {
    return std::any_of(steps.begin(), steps.end(), [&](const PathStep& step) { return step.to == node; });
}

Walk walk_classic(const PackageGraph& graph, const ChannelGraph& channel, const Installed& from,
                  size_t most) {
    if (channel.problem != ChainProblem::none) return {{}, WalkEnd::unordered};
    const ChannelGraph* const channels[] = {&channel};
    return follow(graph, channels, from, classic_successors(graph, channel, from).next,
                  classic_next_steps(graph, channel), most, [](NodeId) { return false; });
}

Walk walk_v1(const PackageGraph& graph, std::span<const ChannelGraph* const> channels, const Installed& from,
             size_t most) {
    Walk walk = follow(
        graph, channels, from, v1_successors(graph, channels, from).next, v1_next_steps(graph, channels),
        most, [&](NodeId to) { return dependency_refused_by_v1(*graph.nodes[to].bundle) != nullptr; });
    if (walk.end != WalkEnd::no_successor) return walk;
    const Installed last = walk.steps.empty() ? from : installed_node(graph, walk.steps.back().to);
    if (v1_successors(graph, channels, last).held_back) walk.end = WalkEnd::held_back;
    return walk;
}

ShortestPaths::ShortestPaths(const PackageGraph& graph, const EdgeScope& scope, NodeId target)
    : graph_(graph), target_(target), entries_(graph.nodes.size()) {
    for (const ChannelGraph* channel : scope.channels) {
        const auto use = [&](const GraphEntry& entry) {
            if (!graph.nodes[entry.node].is_virtual()) entries_[entry.node].push_back({channel, &entry});
        };
        if (!scope.chains_only)
            std::for_each(channel->entries.begin(), channel->entries.end(), use);
        else if (channel->problem == ChainProblem::none)
            for (const uint32_t place : channel->chain) use(channel->entries[place]);
    }

    // Backwards from the target.
    RankSet unreached_ranks(static_cast<uint32_t>(graph.by_version.size()));
    const auto expand = [&](NodeId to, auto reach) {
        for (const auto& [channel, entry] : entries_[to]) {
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
    };
    reached_ = search_breadth_first(graph.nodes.size(), target, expand, [](const auto&) { return true; });
}

static_assert(unreached == no_node); // places are nodes here

std::optional<uint32_t> ShortestPaths::distance(NodeId from) const {
    if (reached_.distance[from] == unreached) return std::nullopt;
    return reached_.distance[from];
}

std::vector<EdgeOrigin> ShortestPaths::edges(const Installed& from, NodeId to) const {
    std::vector<EdgeOrigin> all;
    for (const auto& [channel, entry] : entries_[to]) {
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
            if (reached_.distance[node] != unreached &&
                (best == no_node || reached_.distance[node] < reached_.distance[best]) &&
                !edges(from, node).empty())
                best = node;
        if (best == no_node) return std::nullopt;
        steps.push_back({best, edges(from, best)});
        current = installed_node(graph_, best);
    }
    if (reached_.distance[current.node] == unreached) return std::nullopt;
    while (current.node != target_) {
        const NodeId to = next(current.node);
        steps.push_back({to, edges(current, to)});
        current = installed_node(graph_, to);
    }
    return steps;
}

} // namespace opcat
