// Ways through an upgrade graph, step by step, and why each step exists.
#pragma once

#include "olm/v1_rules.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat {

struct PathStep {
    NodeId to = no_node;
    std::vector<EdgeOrigin> edges; // why, from the step before
};

enum class WalkEnd : uint8_t {
    no_successor, // nothing leads further
    held_back,    // something does, but OLM v1 prefers what is installed
    refused,      // OLM v1 does not install the last step: it declares a dependency
    loop,         // the last step was there before
    unordered,    // OLM classic cannot order the channel
};

// Where a cluster goes by itself, one step at a time, until it stays.
struct Walk {
    std::vector<PathStep> steps;
    WalkEnd end = WalkEnd::no_successor;

    NodeId last(NodeId start) const { return steps.empty() ? start : steps.back().to; }
    bool passes(NodeId node) const;
};
Walk walk_classic(const PackageGraph& graph, const ChannelGraph& channel, const Installed& from);
Walk walk_v1(const PackageGraph& graph, std::span<const ChannelGraph* const> channels, const Installed& from);

// Which edges may be walked: those of all entries of some channels, as OLM v1 sees them, or only those to
// entries of their chains, as OLM classic does.
struct EdgeScope {
    std::vector<const ChannelGraph*> channels;
    bool chains_only = false;
};

// The shortest ways from every node to one target.
class ShortestPaths {
public:
    // Near-linear in nodes and edges; a skipRange counts as the intervals that it covers. Refers to `graph`.
    ShortestPaths(const PackageGraph& graph, const EdgeScope& scope, NodeId target);

    // Steps to the target; nothing: there is no way.
    std::optional<uint32_t> distance(NodeId from) const;
    // The next node on the way; no_node at the target and where there is no way.
    NodeId next(NodeId from) const { return next_[from]; }
    // The whole way, also from a version that is in no node. Nothing if there is none; empty at the target.
    std::optional<std::vector<PathStep>> path(const Installed& from) const;

private:
    std::vector<EdgeOrigin> edges(const Installed& from, NodeId to) const;

    struct Way {
        const ChannelGraph* channel;
        const GraphEntry* entry;
    };

    const PackageGraph& graph_;
    NodeId target_;
    std::vector<std::vector<Way>> ways_to_; // by node
    std::vector<uint32_t> distance_;
    std::vector<NodeId> next_;
};

// Where there is no way: the reason, and what comes nearest to one.
struct NoPath {
    std::string reason;
    std::vector<std::string> alternatives; // best first
};
NoPath explain_no_path(const PackageGraph& graph, const EdgeScope& scope, const Installed& from,
                       NodeId target);

} // namespace opcat
