// The upgrade steps of OLM v1 from an installed operator, for a ClusterExtension that names some channels or
// none (docs/spec/resolution-v1.md).
#pragma once

#include "opcat/olm/classic_rules.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace opcat {

// The reason why an installed version may be upgraded to a bundle: the first one in OLM's order. `crash`: OLM
// crashes there, see semver/blang_range.hpp.
struct V1Edge {
    enum class Step : uint8_t { none, replaces, skips, skip_range, same_version, crash };
    Step step = Step::none;
    NodeEntry entry = {}; // of the bundle; null if no entry is the reason
};

// The installed version in OLM v1's terms. An installed bundle without a name, which only a request can have,
// is replaced by every entry that replaces nothing.
struct V1Installed {
    NodeId node = no_node; // no_node: the package does not have the name
    bool has_no_name = false;
    const semver::VersionRelease* version = nullptr; // nullptr: it is not valid, and only has edges by name
};

// `is_requested` says of a ChannelGraph whether its entries count.
template <typename IsRequested>
V1Edge v1_edge(const PackageGraph& graph, const PackageBundle& to, const V1Installed& installed,
               bool release_support, IsRequested is_requested) {
    using Step = V1Edge::Step;
    for (const NodeEntry& of : graph.entries_of(to.node)) {
        if (!is_requested(*of.channel)) continue;
        const GraphEntry& entry = *of.entry;
        if (installed.has_no_name ? entry.replaces == no_node
                                  : entry.replaces != no_node && entry.replaces == installed.node)
            return {Step::replaces, of};
        const auto skips = graph.skips_of(entry);
        if (installed.node != no_node && std::find(skips.begin(), skips.end(), installed.node) != skips.end())
            return {Step::skips, of};
        if (entry.skip_range == no_range || !installed.version) continue;
        const auto& range = graph.skip_ranges[entry.skip_range].range;
        if (!range) continue;
        const auto answer = range->ask(installed.version->version);
        if (answer == semver::BlangRange::Answer::crash) return {Step::crash, of};
        if (answer == semver::BlangRange::Answer::yes) return {Step::skip_range, of};
    }
    const BundleVersion& version = to.version(release_support);
    if (version && installed.version && *version == *installed.version) return {Step::same_version, {}};
    return {};
}

// Bundles without a valid version are lower than all others.
bool has_higher_version(const PackageBundle& a, const PackageBundle& b, bool release_support);

// OLM v1's order of preference: first bundles that are not deprecated, then the highest version.
bool v1_prefers(const PackageBundle& a, const PackageBundle& b, bool release_support);

// Bundles to which any entry of the channels leads, or that have the installed version; first those that are
// not deprecated, then by version. The first is installed next, unless it is the installed one.
struct V1Successors {
    std::vector<Successor> candidates; // without the installed one
    NodeId next = no_node;             // no_node: it stays
    bool held_back = false;            // no step although there are candidates
    bool ambiguous = false;            // the first two candidates have the same version
    bool unreadable = false;           // no step: the version of the first candidate is not valid
    const GraphEntry* crash = nullptr; // OLM crashes because of its skipRange: there is no answer
};
// If no channels are excluded (`channels` are all of the package), bundles without a channel count, too.
V1Successors v1_successors(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                           const Installed& installed);

// The next step for each node of the package: the results of v1_successors, in near-linear time for all nodes
// together. no_node: no step, or OLM crashes.
std::vector<NodeId> v1_next_steps(const PackageGraph& graph, std::span<const ChannelGraph* const> channels);

// The first of v1_successors' candidates for each node, which OLM v1 may not prefer to what is installed;
// no_node: there is none. Only for graphs that crash no OLM. Near-linear for all nodes together.
std::vector<NodeId> v1_best_candidates(const PackageGraph& graph,
                                       std::span<const ChannelGraph* const> channels);
// Returns true if OLM v1 crashes because of some skipRange.
bool may_crash_v1(const PackageGraph& graph);

// Why the two OLMs choose different steps, in a sentence; empty if they do not.
std::string explain_difference(const PackageGraph& graph, const ClassicSuccessors& classic,
                               const V1Successors& v1, const Installed& installed);

} // namespace opcat
