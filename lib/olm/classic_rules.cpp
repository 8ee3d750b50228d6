#include "opcat/olm/classic_rules.hpp"

#include "opcat/olm/next_steps.hpp"

namespace opcat {

ChannelOrder::ChannelOrder(std::span<const GraphEntry> entries, std::span<const NodeId> skips, size_t nodes,
                           Namesakes namesakes)
    : entries_(entries), skipped_(nodes), last_(nodes, no_node) {
    std::vector<bool> left_behind(nodes);
    for (uint32_t place = 0; place < entries.size(); ++place) {
        const GraphEntry& entry = entries[place];
        last_[entry.node] = place;
        // An entry may also skip itself.
        if (entry.replaces != no_node) left_behind[entry.replaces] = true;
        for (const NodeId skip : skips.subspan(entry.first_skip, entry.skip_count))
            skipped_[skip] = left_behind[skip] = true;
    }
    for (uint32_t place = 0; place < entries.size(); ++place) {
        const NodeId node = entries[place].node;
        if (!left_behind[node] || (namesakes == Namesakes::last && last_[node] != place))
            heads_.push_back(place);
    }
}

ChannelOrder::Chain ChannelOrder::chain_from(uint32_t head) const {
    Chain chain;
    std::vector<bool> seen(entries_.size());
    for (uint32_t place = head; place != no_node;) {
        const GraphEntry& entry = entries_[place];
        if (seen[place]) {
            chain.is_cycle = true;
            return chain;
        }
        seen[place] = true;
        if (!skipped_[entry.node]) chain.places.push_back(place);
        place = entry.replaces == no_node ? no_node : last_[entry.replaces];
    }
    return chain;
}

void NamedEntries::add(std::string_view name, std::string_view replaces, std::span<const Text> skipped) {
    const auto node = [&](std::string_view text) {
        return nodes.try_emplace(text, static_cast<NodeId>(nodes.size())).first->second;
    };
    GraphEntry& entry = entries.emplace_back();
    entry.node = node(name);
    if (!replaces.empty()) entry.replaces = node(replaces);
    entry.first_skip = static_cast<uint32_t>(skips.size());
    entry.skip_count = static_cast<uint32_t>(skipped.size());
    for (const Text& skip : skipped) skips.push_back(node(skip));
}

NodeId NamedEntries::find(std::string_view name) const {
    const auto found = nodes.find(name);
    return found == nodes.end() ? no_node : found->second;
}

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
        if (!graph.nodes[entry.node].is_for_classic()) continue;
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
            if (graph.nodes[channel.entries[place].node].is_for_classic())
                steps.offer(channel.entries[place]);
    return steps.finish();
}

} // namespace opcat
