// An installed version, and the edges of a package that lead on from it: for one version, and for all
// versions at once with any order of preference among entries.
#pragma once

#include "opcat/catalog/installed_name.hpp"
#include "opcat/olm/package_graph.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

// The installed version: one of the package's nodes, or a version that is not in the catalog. An edge can
// match it by its name (replaces, skips) or its version (skipRange).
struct Installed {
    NodeId node = no_node;
    std::string_view name;                         // empty: unknown, and no name in the catalog matches
    std::optional<semver::VersionRelease> version; // nothing: unknown, or not valid
};

Installed installed_node(const PackageGraph& graph, NodeId node);

// The bundles of a package, and nodes that only its channels name, for `read_installed_name`.
void append_known_bundles(std::vector<KnownBundle>& bundles, const PackageGraph& graph);
// Looks up a bundle of that package, or makes an unknown one.
Installed as_installed(const PackageGraph& graph, const InstalledName& name);

// The name, or else the version.
std::string describe(const PackageGraph& graph, const Installed& installed);

// The edges of one entry that lead from the installed version to it; empty if there are none.
std::vector<EdgeOrigin> edges_from(const PackageGraph& graph, const ChannelGraph& channel,
                                   const GraphEntry& entry, const Installed& installed);

// "replaces foo.v1.0.0", "its skipRange ">=1.0.0 <2.0.0" covers 1.0.0".
std::string describe(const PackageGraph& graph, const EdgeOrigin& edge, const Installed& installed);

// A set of ranks that only shrinks, at first 0 … size-1. Iterating over an interval takes near-constant time
// for each rank that is left, none for removed ones.
class RankSet {
public:
    explicit RankSet(uint32_t size) : next_(size_t{size} + 1) { std::iota(next_.begin(), next_.end(), 0U); }

    // The first remaining rank from `rank` on, or the size.
    uint32_t first_from(uint32_t rank) {
        uint32_t root = rank;
        while (next_[root] != root) root = next_[root];
        while (next_[rank] != root) {
            const uint32_t after = next_[rank];
            next_[rank] = root;
            rank = after;
        }
        return root;
    }
    void remove(uint32_t rank) { next_[rank] = rank + 1; }

private:
    std::vector<uint32_t> next_;
};

// Decides if an installed version that is itself offered stays, or goes on to the best of the others.
enum class IfOffered : uint8_t { stays, goes_on };

// The next step of every version. Entries are offered in the order of preference, and take the nodes that no
// earlier one took. Near-linear in nodes and edges; a skipRange counts as the intervals that it covers.
class NextSteps {
public:
    explicit NextSteps(const PackageGraph& graph, IfOffered if_offered = IfOffered::stays)
        : graph_(graph), if_offered_(if_offered), next_(graph.nodes.size(), no_node),
          taken_(graph.nodes.size()), left_(static_cast<uint32_t>(graph.by_version.size())) {}

    void offer(const GraphEntry& entry) { offer(entry, entry.node); }
    // To all nodes that have an edge to the entry; no_node: no step.
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
            if (taken_[graph_.by_version[rank]]) left_.remove(rank);
        }
    }

    // By node; no_node: no step.
    std::vector<NodeId> finish() { return std::move(next_); }

private:
    void take(NodeId from, NodeId to) {
        if (taken_[from] || (from == to && if_offered_ == IfOffered::goes_on)) return;
        taken_[from] = true;
        if (from != to) next_[from] = to;
    }

    const PackageGraph& graph_;
    IfOffered if_offered_;
    std::vector<NodeId> next_;
    std::vector<bool> taken_;
    RankSet left_;
};

} // namespace opcat
