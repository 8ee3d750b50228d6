// The next step of every version at once.
#pragma once

#include "graph/upgrade_graph.hpp"

#include <span>
#include <vector>

namespace opcat {

// For each node of the package what it is upgraded to next; no_node: it stays. The same answers as those of
// classic_successors and v1_successors, in near-linear time for all nodes together.
std::vector<NodeId> classic_next_steps(const PackageGraph& graph, const ChannelGraph& channel);
std::vector<NodeId> v1_next_steps(const PackageGraph& graph, std::span<const ChannelGraph* const> channels);

// The order in which OLM v1 prefers bundles: whether `a` is chosen before `b`.
bool v1_prefers(const GraphNode& a, const GraphNode& b);

// What is installed competes with its successors if it is in the catalog, and in one of the channels named.
bool v1_candidate_itself(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                         NodeId installed);

} // namespace opcat
