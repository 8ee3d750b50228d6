// The next step of every version at once, for any order of preference among entries.
#pragma once

#include "olm/package_graph.hpp"
#include "olm/rank_set.hpp"

#include <utility>
#include <vector>

namespace opcat {

// Entries are offered in the order in which they are preferred, and take the nodes that no earlier one took.
// Near-linear in nodes and edges; a skipRange counts as the intervals that it covers.
class NextSteps {
public:
    explicit NextSteps(const PackageGraph& graph)
        : graph_(graph), next_(graph.nodes.size(), no_node), taken_(graph.nodes.size()),
          left_(static_cast<uint32_t>(graph.by_version.size())) {}

    void offer(const GraphEntry& entry) { offer(entry, entry.node); }
    // To what the entry leads on from; no_node: that it stays.
    void offer(const GraphEntry& entry, NodeId to) {
        if (entry.replaces != no_node) take(entry.replaces, to);
        for (const NodeId skip : graph_.skips_of(entry)) take(skip, to);
        if (entry.skip_range == no_range) return;
        for (const RankInterval& interval : graph_.skip_ranges[entry.skip_range].covers) offer(interval, to);
    }
    // To all versions of an interval.
    void offer(const RankInterval& interval, NodeId to) {
        for (uint32_t rank = left_.first_from(interval.begin); rank < interval.end;
             rank = left_.first_from(rank + 1)) {
            take(graph_.by_version[rank], to);
            left_.remove(rank);
        }
    }

    // By node; no_node: it stays.
    std::vector<NodeId> finish() { return std::move(next_); }

private:
    // An installed bundle that is offered itself stays.
    void take(NodeId from, NodeId to) {
        if (taken_[from]) return;
        taken_[from] = true;
        if (from != to) next_[from] = to;
    }

    const PackageGraph& graph_;
    std::vector<NodeId> next_;
    std::vector<bool> taken_;
    RankSet left_;
};

} // namespace opcat
