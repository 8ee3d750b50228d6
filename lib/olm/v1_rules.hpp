// What OLM v1 upgrades an installed operator to, for a ClusterExtension that names some channels or none
// (docs/spec/resolution-v1.md).
#pragma once

#include "opcat/olm/classic_rules.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace opcat {

// How what is installed may become a bundle: the first reason in the order in which OLM asks. `crash` is
// where OLM dies: see semver/blang_range.hpp.
struct V1Edge {
    enum class Step : uint8_t { none, replaces, skips, skip_range, same_version, crash };
    Step step = Step::none;
    NodeEntry entry = {}; // of the bundle; null where no entry is the reason
};

// What is installed, as OLM v1 asks about it. An installed bundle without a name, which only a request can
// have, is replaced by every entry that replaces nothing.
struct V1Installed {
    NodeId node = no_node; // no_node: no name in the package is it
    bool has_no_name = false;
    const semver::VersionRelease* version = nullptr; // nullptr: it cannot be read, and has edges by name only
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

// The order in which OLM v1 prefers bundles: not deprecated first, then the highest version; those whose
// version cannot be read last.
bool v1_prefers(const PackageBundle& a, const PackageBundle& b, bool release_support);

// Bundles to which any entry of the channels leads, or that have the installed version; not deprecated before
// deprecated, then by version. The first is installed next, unless that is what is installed.
struct V1Successors {
    std::vector<Successor> candidates; // without what is installed
    NodeId next = no_node;             // no_node: it stays
    bool held_back = false;            // it stays although there are candidates
    bool ambiguous = false;            // the first two candidates have the same version
    bool unreadable = false;           // it stays: the version of the first candidate cannot be read
    const GraphEntry* crash = nullptr; // OLM dies of its skipRange: there is no answer
};
// Without channels that are left out (`channels` are all of the package), bundles in no channel count, too.
V1Successors v1_successors(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                           const Installed& installed);

// For each node of the package what it is upgraded to next: the answers of v1_successors, in near-linear time
// for all nodes together. no_node: it stays, or OLM crashes.
std::vector<NodeId> v1_next_steps(const PackageGraph& graph, std::span<const ChannelGraph* const> channels);

// Why the two choose different steps, in a sentence; empty if they do not.
std::string explain_difference(const PackageGraph& graph, const ClassicSuccessors& classic,
                               const V1Successors& v1, const Installed& installed);

} // namespace opcat
