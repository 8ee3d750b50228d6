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

namespace {

// By node, whether the steps end at the head.
std::vector<bool> ends_at(NodeId head, const std::vector<NodeId>& next) {
    std::vector<bool> ends(next.size());
    std::vector<bool> seen(next.size());
    ends[head] = seen[head] = true;
    std::vector<NodeId> walked;
    for (NodeId start = 0; start < next.size(); ++start) {
        NodeId at = start;
        for (walked.clear(); at != no_node && !seen[at]; at = next[at]) {
            seen[at] = true;
            walked.push_back(at);
        }
        const bool does = at != no_node && ends[at];
        for (const NodeId node : walked) ends[node] = does;
    }
    return ends;
}

} // namespace

std::optional<KnownSteps> KnownSteps::of(const PackageGraph& graph, uint64_t& places_left) {
    const uint64_t places = (graph.channels.size() + 2) * graph.nodes.size();
    if (places > places_left || may_crash_v1(graph)) return std::nullopt;
    places_left -= places;
    return KnownSteps(graph);
}

KnownSteps::KnownSteps(const PackageGraph& graph)
    : graph_(&graph), channels_(graph.all_channels()), v1_(v1_next_steps(graph, channels_)),
      best_candidates_(v1_best_candidates(graph, channels_)), has_twin_(graph.nodes.size()),
      gets_to_heads_(graph.nodes.size()) {
    for (NodeId node = 0; node < graph.nodes.size(); ++node)
        gets_to_heads_[node] = !graph.entries_of(node).empty();
    for (const ChannelGraph& channel : graph.channels) {
        classic_.push_back(classic_next_steps(graph, channel));
        if (channel.problem != ChainProblem::none || channel.head() == no_node) continue;
        const std::vector<bool> ends = ends_at(channel.head(), classic_.back());
        for (const GraphEntry& entry : channel.entries)
            if (!ends[entry.node]) gets_to_heads_[entry.node] = false;
    }
    for (size_t i = 0; i + 1 < graph.by_version.size(); ++i) {
        const NodeId a = graph.by_version[i];
        const NodeId b = graph.by_version[i + 1];
        if (*graph.nodes[a].version == *graph.nodes[b].version) has_twin_[a] = has_twin_[b] = true;
    }
}

const std::vector<NodeId>& KnownSteps::classic(const ChannelGraph& channel) const {
    return classic_[static_cast<size_t>(&channel - graph_->channels.data())];
}

// Which of equal ones is the second one, and whether the installed one counts, few packages have to know.
bool KnownSteps::has_one_best(NodeId installed) const {
    const NodeId best = best_candidates_[installed];
    return best == no_node || (!has_twin_[best] && graph_->nodes[best].version);
}

bool KnownSteps::knows_paths(NodeId installed) const {
    return gets_to_heads_[installed] && has_one_best(installed);
}

V1Successors KnownSteps::v1_successors(NodeId installed) const {
    const NodeId best = best_candidates_[installed];
    V1Successors answer;
    if (best == no_node) return answer;
    const Installed from = installed_node(*graph_, installed);
    if (!has_one_best(installed)) return opcat::v1_successors(*graph_, channels_, from);
    answer.candidates.push_back({best, edges_to(*graph_, channels_, best, from)});
    answer.next = v1_[installed];
    answer.held_back = answer.next == no_node;
    return answer;
}

Walk walk_classic(const PackageGraph& graph, const ChannelGraph& channel, const Installed& from, size_t most,
                  const KnownSteps* known) {
    if (channel.problem != ChainProblem::none) return {{}, WalkEnd::unordered};
    const ChannelGraph* const channels[] = {&channel};
    const auto never = [](NodeId) { return false; };
    if (known && from.node != no_node) {
        const std::vector<NodeId>& next = known->classic(channel);
        return follow(graph, channels, from, next[from.node], next, most, never);
    }
    return follow(graph, channels, from, classic_successors(graph, channel, from).next,
                  classic_next_steps(graph, channel), most, never);
}

Walk walk_v1(const PackageGraph& graph, std::span<const ChannelGraph* const> channels, const Installed& from,
             size_t most, const KnownSteps* known) {
    const auto refuses = [&](NodeId to) {
        return dependency_refused_by_v1(*graph.nodes[to].bundle) != nullptr;
    };
    const auto successors = [&](const Installed& installed) {
        return known && installed.node != no_node ? known->v1_successors(installed.node)
                                                  : v1_successors(graph, channels, installed);
    };
    Walk walk = known && from.node != no_node
                    ? follow(graph, channels, from, known->v1()[from.node], known->v1(), most, refuses)
                    : follow(graph, channels, from, successors(from).next, v1_next_steps(graph, channels),
                             most, refuses);
    if (walk.end != WalkEnd::no_successor) return walk;
    const Installed last = walk.steps.empty() ? from : installed_node(graph, walk.steps.back().to);
    if (successors(last).held_back) walk.end = WalkEnd::held_back;
    return walk;
}

ShortestPaths::ShortestPaths(const PackageGraph& graph, const EdgeScope& scope, NodeId target)
    : graph_(graph), target_(target), entries_(graph.nodes.size()) {
    for (const ChannelGraph* channel : scope.channels) {
        const auto use = [&](const GraphEntry& entry) {
            const GraphNode& node = graph.nodes[entry.node];
            if (scope.chains_only ? node.is_for_classic() : !node.is_virtual())
                entries_[entry.node].push_back({channel, &entry});
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
