#include "graph/successors.hpp"

#include "graph/next_steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

using semver::Version;
using semver::VersionRelease;

// Empty if it can.
std::string why_classic_cannot_see(const PackageGraph& graph, const ChannelGraph& channel,
                                   const Successor& successor) {
    const std::string_view name = graph.nodes[successor.node].name;
    const bool in_channel = std::any_of(successor.edges.begin(), successor.edges.end(),
                                        [&](const EdgeOrigin& edge) { return edge.channel == &channel; });
    if (!in_channel)
        return fmt::format(
            "the way to {} is in channel \"{}\", and a Subscription to \"{}\" sees only its own", name,
            successor.edges.front().channel->name, channel.name);
    const bool on_chain = std::any_of(channel.chain.begin(), channel.chain.end(), [&](uint32_t place) {
        return channel.entries[place].node == successor.node;
    });
    if (on_chain) return {};
    for (const GraphEntry& entry : channel.entries)
        for (const NodeId skip : graph.skips_of(entry))
            if (skip == successor.node && entry.node != skip)
                return fmt::format(
                    "{} is skipped by {} and so not on the replaces chain, from which OLM classic "
                    "chooses; OLM v1 knows no chain",
                    name, graph.nodes[entry.node].name);
    return fmt::format(
        "{} is not on the replaces chain of the head, from which OLM classic chooses; OLM v1 knows no "
        "chain",
        name);
}

} // namespace

Installed installed_node(const PackageGraph& graph, NodeId node) {
    return {node, graph.nodes[node].name, graph.nodes[node].version};
}

void append_known_bundles(std::vector<KnownBundle>& bundles, const PackageGraph& graph) {
    bundles.reserve(bundles.size() + graph.nodes.size());
    for (const GraphNode& node : graph.nodes)
        bundles.push_back({graph.name, node.name, node.version, !node.is_virtual()});
}

Installed as_installed(const PackageGraph& graph, const InstalledName& name) {
    const auto node = graph.node_by_name.find(name.name);
    return {node == graph.node_by_name.end() ? no_node : node->second, name.name, name.version};
}

std::string describe(const PackageGraph& graph, const Installed& installed) {
    if (installed.node != no_node) return std::string(graph.nodes[installed.node].name);
    return installed.version ? installed.version->to_legacy_string() : std::string(installed.name);
}

std::vector<EdgeOrigin> edges_from(const PackageGraph& graph, const ChannelGraph& channel,
                                   const GraphEntry& entry, const Installed& installed) {
    std::vector<EdgeOrigin> edges;
    if (installed.node != no_node) {
        if (entry.replaces == installed.node) edges.push_back({EdgeKind::replaces, &channel, &entry});
        const auto skips = graph.skips_of(entry);
        for (uint32_t i = 0; i < skips.size(); ++i) {
            if (skips[i] != installed.node) continue;
            edges.push_back({EdgeKind::skips, &channel, &entry, i});
            break;
        }
    }
    if (installed.version && graph.covers(entry, installed.version->version))
        edges.push_back({EdgeKind::skip_range, &channel, &entry});
    return edges;
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

V1Successors v1_successors(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                           const Installed& installed) {
    std::map<NodeId, std::vector<EdgeOrigin>> found; // by place in the catalog, which decides ties
    for (const ChannelGraph* channel : channels)
        for (const GraphEntry& entry : channel->entries) {
            if (graph.nodes[entry.node].is_virtual()) continue;
            auto edges = edges_from(graph, *channel, entry, installed);
            if (edges.empty()) continue;
            auto& all = found[entry.node];
            all.insert(all.end(), edges.begin(), edges.end());
        }
    V1Successors answer;
    for (auto& [node, edges] : found)
        if (node != installed.node) answer.candidates.push_back({node, std::move(edges)});
    std::stable_sort(answer.candidates.begin(), answer.candidates.end(),
                     [&](const Successor& a, const Successor& b) {
                         return v1_prefers(graph.nodes[a.node], graph.nodes[b.node]);
                     });
    if (answer.candidates.empty()) return answer;
    const GraphNode& best = graph.nodes[answer.candidates.front().node];
    if (v1_candidate_itself(graph, channels, installed.node)) {
        const GraphNode& present = graph.nodes[installed.node];
        const bool comes_first = installed.node < answer.candidates.front().node;
        if (v1_prefers(present, best) || (comes_first && !v1_prefers(best, present))) {
            answer.held_back = true;
            return answer;
        }
    }
    answer.next = answer.candidates.front().node;
    if (answer.candidates.size() > 1) {
        const GraphNode& second = graph.nodes[answer.candidates[1].node];
        answer.ambiguous = !v1_prefers(best, second) && best.version;
    }
    return answer;
}

const Property* dependency_refused_by_v1(const Bundle& bundle) {
    for (const Property& property : bundle.properties)
        if (property.type == property_type::package_required ||
            property.type == property_type::gvk_required || property.type == property_type::constraint)
            return &property;
    return nullptr;
}

std::string describe(const PackageGraph& graph, const EdgeOrigin& edge, const Installed& installed) {
    switch (edge.kind) {
    case EdgeKind::replaces:
        return fmt::format("replaces {}", describe(graph, installed));
    case EdgeKind::skips:
        return fmt::format("skips {}", describe(graph, installed));
    case EdgeKind::skip_range:
        return fmt::format("its skipRange \"{}\" covers {}", edge.entry->source->skip_range.text,
                           installed.version ? installed.version->to_legacy_string() : std::string());
    }
    return {};
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

std::string explain_difference(const PackageGraph& graph, const ClassicSuccessors& classic,
                               const V1Successors& v1, const Installed& installed) {
    if (classic.next == v1.next) return {};
    const ChannelGraph& channel = *classic.channel;
    const auto name = [&](NodeId id) { return graph.nodes[id].name; };
    if (channel.problem != ChainProblem::none)
        return fmt::format("OLM classic cannot order channel \"{}\": {}", channel.name,
                           describe(channel.problem));
    if (v1.next == no_node) {
        if (!v1.held_back) return fmt::format("OLM v1 looks at other channels than \"{}\"", channel.name);
        const GraphNode& best = graph.nodes[v1.candidates.front().node];
        const bool deprecated = best.deprecation && !graph.nodes[installed.node].deprecation;
        return deprecated
                   ? fmt::format("OLM v1 stays: {} is deprecated and what is installed is not", best.name)
                   : fmt::format("OLM v1 stays: the highest version it could go to, {}, is lower", best.name);
    }
    std::string why_not_classic = why_classic_cannot_see(graph, channel, v1.candidates.front());
    if (classic.next == no_node) return why_not_classic;
    const GraphNode& nearest = graph.nodes[classic.next];
    if (!why_not_classic.empty()) return why_not_classic;
    if (nearest.deprecation && !graph.nodes[v1.next].deprecation)
        return fmt::format("{} is nearest to the head but deprecated: OLM v1 prefers what is not",
                           nearest.name);
    return fmt::format(
        "OLM classic takes the successor nearest to the head, {}; OLM v1 the one with the highest "
        "version, {}",
        nearest.name, name(v1.next));
}

} // namespace opcat
