#include "olm/classic_rules.hpp"

#include "olm/next_steps.hpp"

namespace opcat {

std::string describe(ChainProblem problem) {
    switch (problem) {
    case ChainProblem::none:
        break;
    case ChainProblem::no_head:
        return "every entry is replaced or skipped by another, so there is no head";
    case ChainProblem::several_heads:
        return "it has several heads";
    case ChainProblem::cycle:
        return "its entries replace each other in a circle";
    }
    return {};
}

ClassicSuccessors classic_successors(const PackageGraph& graph, const ChannelGraph& channel,
                                     const Installed& installed) {
    ClassicSuccessors answer{&channel, {}, no_node};
    if (channel.problem != ChainProblem::none) return answer;
    for (const uint32_t place : channel.chain) {
        const GraphEntry& entry = channel.entries[place];
        if (graph.nodes[entry.node].is_virtual()) continue;
        auto edges = edges_from(graph, channel, entry, installed);
        if (!edges.empty()) answer.candidates.push_back({entry.node, std::move(edges)});
    }
    if (!answer.candidates.empty() && answer.candidates.front().node != installed.node)
        answer.next = answer.candidates.front().node;
    return answer;
}

std::vector<NodeId> classic_next_steps(const PackageGraph& graph, const ChannelGraph& channel) {
    NextSteps steps(graph);
    if (channel.problem == ChainProblem::none)
        for (const uint32_t place : channel.chain)
            if (!graph.nodes[channel.entries[place].node].is_virtual()) steps.offer(channel.entries[place]);
    return steps.finish();
}

} // namespace opcat
