// What OLM classic upgrades an installed operator to, for a Subscription to one channel
// (../shared/design/resolve-classic.md, section 4, sortChannel, and section 6, step 2).
#pragma once

#include "olm/installed.hpp"

#include <string>
#include <vector>

namespace opcat {

// "it has several heads"; empty for none.
std::string describe(ChainProblem problem);

struct Successor {
    NodeId node = no_node;
    std::vector<EdgeOrigin> edges; // all that lead to it, in the channels looked at
};

// Entries of the chain that replace, skip or cover what is installed, nearest to the head first. The first is
// installed next.
struct ClassicSuccessors {
    const ChannelGraph* channel = nullptr;
    std::vector<Successor> candidates;
    NodeId next = no_node; // no_node: it stays
};
ClassicSuccessors classic_successors(const PackageGraph& graph, const ChannelGraph& channel,
                                     const Installed& installed);

// For each node of the package what it is upgraded to next: the answers of classic_successors, in near-linear
// time for all nodes together. no_node: it stays.
std::vector<NodeId> classic_next_steps(const PackageGraph& graph, const ChannelGraph& channel);

} // namespace opcat
