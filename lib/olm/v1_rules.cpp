#include "opcat/olm/v1_rules.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/olm/next_steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace opcat {
namespace {

// Graphs show a bundle's release wherever it has one.
constexpr bool with_release = true;

class Scope {
public:
    Scope(const PackageGraph& graph, std::span<const ChannelGraph* const> channels)
        : graph_(graph), channels_(channels), all_(channels.size() == graph.channels.size()) {}

    bool contains(const ChannelGraph& channel) const {
        return all_ || std::find(channels_.begin(), channels_.end(), &channel) != channels_.end();
    }
    bool contains(const PackageBundle& bundle) const { return all_ || !entries_of(bundle.node).empty(); }
    // In the shorter way: a node may be in many channels, and the scope one of them.
    std::vector<NodeEntry> entries_of(NodeId node) const {
        const auto all = graph_.entries_of(node);
        if (all_) return {all.begin(), all.end()};
        std::vector<NodeEntry> entries;
        if (all.size() <= channels_.size()) {
            std::copy_if(all.begin(), all.end(), std::back_inserter(entries),
                         [&](const NodeEntry& of) { return contains(*of.channel); });
            return entries;
        }
        for (const ChannelGraph* const channel : channels_)
            for (const uint32_t place : channel->places_of(node))
                entries.push_back({channel, &channel->entries[place]});
        return entries;
    }
    // All edges, not only the first that counts.
    std::vector<EdgeOrigin> edges(NodeId to, const Installed& installed) const {
        std::vector<EdgeOrigin> edges;
        std::vector<NodeEntry> entries = entries_of(to);
        // In the order of the channels, which are sorted.
        std::ranges::stable_sort(entries, {}, &NodeEntry::channel);
        for (const NodeEntry& of : entries) {
            const auto some = edges_from(graph_, *of.channel, *of.entry, installed);
            edges.insert(edges.end(), some.begin(), some.end());
        }
        return edges;
    }

private:
    const PackageGraph& graph_;
    std::span<const ChannelGraph* const> channels_;
    bool all_;
};

// Empty if it can.
std::string why_classic_cannot_see(const PackageGraph& graph, const ChannelGraph& channel,
                                   const Successor& successor) {
    const std::string_view name = graph.nodes[successor.node].name;
    if (successor.edges.empty())
        return fmt::format(
            "no edge leads to {}: it has the version that is installed, which OLM v1 counts as a "
            "step and OLM classic does not",
            name);
    const bool in_channel = std::any_of(successor.edges.begin(), successor.edges.end(),
                                        [&](const EdgeOrigin& edge) { return edge.channel == &channel; });
    if (!in_channel)
        return fmt::format(
            "the path to {} is in channel \"{}\", and a Subscription to \"{}\" sees only its own", name,
            successor.edges.front().channel->name, channel.name);
    if (channel.is_on_chain(successor.node)) return {};
    for (const GraphEntry& entry : channel.entries)
        for (const NodeId skip : graph.skips_of(entry))
            if (skip == successor.node && entry.node != skip)
                return fmt::format(
                    "{} is skipped by {} and so not on the replaces chain, from which OLM classic "
                    "chooses; OLM v1 ignores chains",
                    name, graph.nodes[entry.node].name);
    return fmt::format(
        "{} is not on the replaces chain of the head, from which OLM classic chooses; OLM v1 ignores "
        "chains",
        name);
}

// Offers all bundles to all versions, the best first.
std::vector<NodeId> best_steps(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                               IfOffered if_offered) {
    const Scope scope(graph, channels);
    std::vector<const PackageBundle*> bundles;
    for (const PackageBundle& bundle : graph.bundles)
        if (scope.contains(bundle)) bundles.push_back(&bundle);
    std::stable_sort(bundles.begin(), bundles.end(), [](const PackageBundle* a, const PackageBundle* b) {
        return v1_prefers(*a, *b, with_release);
    });
    NextSteps steps(graph, if_offered);
    for (const PackageBundle* bundle : bundles) {
        const BundleVersion& version = bundle->version(with_release);
        const NodeId to = version || if_offered == IfOffered::goes_on ? bundle->node : no_node;
        for (const NodeEntry& of : scope.entries_of(bundle->node)) steps.offer(*of.entry, to);
        if (version) steps.offer(graph.ranks_of(*version), bundle->node);
    }
    return steps.finish();
}

} // namespace

bool may_crash_v1(const PackageGraph& graph) {
    return std::any_of(graph.skip_ranges.begin(), graph.skip_ranges.end(), [](const SkipRange& range) {
        return range.range && range.range->offset_of_crash() != 0;
    });
}

bool has_higher_version(const PackageBundle& a, const PackageBundle& b, bool release_support) {
    const BundleVersion& version_a = a.version(release_support);
    const BundleVersion& version_b = b.version(release_support);
    if (!version_a || !version_b) return static_cast<bool>(version_a) && !version_b;
    return *version_b < *version_a;
}

bool v1_prefers(const PackageBundle& a, const PackageBundle& b, bool release_support) {
    return a.deprecated != b.deprecated ? b.deprecated : has_higher_version(a, b, release_support);
}

V1Successors v1_successors(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                           const Installed& installed) {
    const Scope scope(graph, channels);
    const V1Installed from{installed.node, false, installed.version ? &*installed.version : nullptr};
    V1Successors answer;
    std::vector<const PackageBundle*> candidates;
    for (const PackageBundle& bundle : graph.bundles) {
        if (!scope.contains(bundle)) continue;
        const V1Edge edge = v1_edge(graph, bundle, from, with_release,
                                    [&](const ChannelGraph& channel) { return scope.contains(channel); });
        if (edge.step == V1Edge::Step::none) continue;
        if (edge.step == V1Edge::Step::crash) {
            answer.crash = edge.entry.entry;
            return answer;
        }
        candidates.push_back(&bundle);
    }
    std::stable_sort(
        candidates.begin(), candidates.end(),
        [](const PackageBundle* a, const PackageBundle* b) { return v1_prefers(*a, *b, with_release); });
    const PackageBundle* second = nullptr;
    std::unordered_set<NodeId> known{installed.node};
    for (const PackageBundle* candidate : candidates) {
        if (!known.insert(candidate->node).second) continue;
        answer.candidates.push_back({candidate->node, scope.edges(candidate->node, installed)});
        if (answer.candidates.size() == 2) second = candidate;
    }
    if (answer.candidates.empty()) return answer;
    const PackageBundle& best = *candidates.front();
    if (best.node == installed.node) {
        answer.held_back = true;
        return answer;
    }
    if (!best.version(with_release)) {
        answer.unreadable = true;
        return answer;
    }
    answer.next = best.node;
    answer.ambiguous = second && !v1_prefers(best, *second, with_release);
    return answer;
}

std::vector<NodeId> v1_next_steps(const PackageGraph& graph, std::span<const ChannelGraph* const> channels) {
    std::vector<NodeId> next = best_steps(graph, channels, IfOffered::stays);
    if (may_crash_v1(graph))
        for (NodeId node = 0; node < next.size(); ++node)
            if (v1_successors(graph, channels, installed_node(graph, node)).crash) next[node] = no_node;
    return next;
}

std::vector<NodeId> v1_best_candidates(const PackageGraph& graph,
                                       std::span<const ChannelGraph* const> channels) {
    return best_steps(graph, channels, IfOffered::goes_on);
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
        if (v1.crash)
            return fmt::format("OLM v1 crashes on the skipRange {} of {}",
                               go_quote(v1.crash->source->skip_range), name(v1.crash->node));
        if (v1.candidates.empty())
            return fmt::format("OLM v1 looks at other channels than \"{}\"", channel.name);
        const GraphNode& best = graph.nodes[v1.candidates.front().node];
        if (!best.version) return fmt::format("OLM v1 stays: the version of {} cannot be read", best.name);
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
