#include "graph/next_steps.hpp"

#include "graph/rank_set.hpp"

#include <algorithm>

namespace opcat {
namespace {

// Entries are shown in the order in which they are preferred, and take the nodes that no earlier one took.
class Taking {
public:
    explicit Taking(const PackageGraph& graph)
        : graph_(graph), next_(graph.nodes.size(), no_node), taken_(graph.nodes.size()),
          left_(static_cast<uint32_t>(graph.by_version.size())) {}

    void show(const GraphEntry& entry) {
        if (entry.replaces != no_node) take(entry.replaces, entry.node);
        for (const NodeId skip : graph_.skips_of(entry)) take(skip, entry.node);
        if (entry.skip_range == no_range) return;
        for (const RankInterval& interval : graph_.skip_ranges[entry.skip_range].covers)
            for (uint32_t rank = left_.first_from(interval.begin); rank < interval.end;
                 rank = left_.first_from(rank + 1)) {
                take(graph_.by_version[rank], entry.node);
                left_.remove(rank);
            }
    }
    // An installed bundle that an entry of its own name takes stays.
    void take(NodeId from, NodeId to) {
        if (taken_[from]) return;
        taken_[from] = true;
        if (from != to) next_[from] = to;
    }
    std::vector<NodeId> finish() { return std::move(next_); }

private:
    const PackageGraph& graph_;
    std::vector<NodeId> next_;
    std::vector<bool> taken_;
    RankSet left_;
};

} // namespace

bool v1_prefers(const GraphNode& a, const GraphNode& b) {
    const bool a_deprecated = a.deprecation != nullptr;
    const bool b_deprecated = b.deprecation != nullptr;
    if (a_deprecated != b_deprecated) return b_deprecated;
    if (!a.version || !b.version) return a.version.has_value() && !b.version;
    return *b.version < *a.version;
}

bool v1_candidate_itself(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                         NodeId installed) {
    if (installed == no_node || graph.nodes[installed].is_virtual()) return false;
    if (channels.size() == graph.channels.size()) return true;
    return std::any_of(channels.begin(), channels.end(),
                       [&](const ChannelGraph* channel) { return channel->find(installed); });
}

std::vector<NodeId> classic_next_steps(const PackageGraph& graph, const ChannelGraph& channel) {
    Taking taking(graph);
    if (channel.problem == ChainProblem::none)
        for (const uint32_t place : channel.chain)
            if (!graph.nodes[channel.entries[place].node].is_virtual()) taking.show(channel.entries[place]);
    return taking.finish();
}

std::vector<NodeId> v1_next_steps(const PackageGraph& graph, std::span<const ChannelGraph* const> channels) {
    struct Offer {
        NodeId node;
        const GraphEntry* entry; // nullptr: the node itself, as what is installed
    };
    std::vector<Offer> offers;
    for (const ChannelGraph* channel : channels)
        for (const GraphEntry& entry : channel->entries)
            if (!graph.nodes[entry.node].is_virtual()) offers.push_back({entry.node, &entry});
    for (NodeId node = 0; node < graph.nodes.size(); ++node)
        if (v1_candidate_itself(graph, channels, node)) offers.push_back({node, nullptr});
    std::sort(offers.begin(), offers.end(), [&](const Offer& a, const Offer& b) {
        const GraphNode& left = graph.nodes[a.node];
        const GraphNode& right = graph.nodes[b.node];
        if (v1_prefers(left, right)) return true;
        if (v1_prefers(right, left)) return false;
        return a.node < b.node; // of equal versions the first of the catalog is taken
    });
    Taking taking(graph);
    for (const Offer& offer : offers) {
        if (offer.entry)
            taking.show(*offer.entry);
        else
            taking.take(offer.node, offer.node);
    }
    return taking.finish();
}

} // namespace opcat
