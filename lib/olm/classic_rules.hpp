// The upgrade steps of OLM classic from an installed operator, for a Subscription to one channel
// (docs/spec/resolution-classic.md).
#pragma once

#include "opcat/olm/next_steps.hpp"

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

// The order that `replaces` and `skips` give to the entries of a channel.
class ChannelOrder {
public:
    // Which of several entries of one name are not heads if something replaces or skips that name: all of
    // them, or only the last one, as in OLM classic for equal names from several catalogs.
    enum class Namesakes : uint8_t { all, last };

    // `skips` are those of all entries; nodes are numbers below `nodes`. Refers to the entries.
    ChannelOrder(std::span<const GraphEntry> entries, std::span<const NodeId> skips, size_t nodes,
                 Namesakes namesakes);

    // Places of entries that are neither replaced nor skipped, not even by themselves.
    const std::vector<uint32_t>& heads() const { return heads_; }
    bool is_skipped(NodeId node) const { return skipped_[node]; }
    // The place of the last entry of a node, because later ones win; no_node if there is none.
    uint32_t last_entry(NodeId node) const { return last_[node]; }

    // Places from a head along `replaces`, without skipped entries; up to the entry that closes a cycle.
    struct Chain {
        std::vector<uint32_t> places;
        bool is_cycle = false;
    };
    Chain chain_from(uint32_t head) const;

private:
    std::span<const GraphEntry> entries_;
    std::vector<bool> skipped_;
    std::vector<uint32_t> last_;
    std::vector<uint32_t> heads_;
};

// Entries of a channel without the rest of their package; nodes represent names.
struct NamedEntries {
    std::vector<GraphEntry> entries;
    std::vector<NodeId> skips;
    std::unordered_map<std::string_view, NodeId> nodes;

    void add(std::string_view name, std::string_view replaces, std::span<const Text> skipped);
    NodeId find(std::string_view name) const; // no_node: there is no such entry or name
    ChannelOrder order(ChannelOrder::Namesakes namesakes) const {
        return {entries, skips, nodes.size(), namesakes};
    }
};

// "it has several heads"; empty for none.
std::string describe(ChainProblem problem);

struct Successor {
    NodeId node = no_node;
    std::vector<EdgeOrigin> edges; // all that lead to it, in the given channels
};

// Entries of the chain that replace, skip or cover the installed version, nearest to the head first. The
// first one is installed next.
struct ClassicSuccessors {
    const ChannelGraph* channel = nullptr;
    std::vector<Successor> candidates;
    NodeId next = no_node; // no_node: it stays
};
ClassicSuccessors classic_successors(const PackageGraph& graph, const ChannelGraph& channel,
                                     const Installed& installed);

// The next step for each node of the package: the results of classic_successors, in near-linear time for all
// nodes together. no_node: no step.
std::vector<NodeId> classic_next_steps(const PackageGraph& graph, const ChannelGraph& channel);

} // namespace opcat
