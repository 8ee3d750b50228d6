// Paths through an upgrade graph, step by step, and the reason of each step.
#pragma once

#include "opcat/olm/v1_rules.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace opcat {

// Moves from state to state until `next` has none (false), or returns an earlier one (true).
template <typename State, typename Next>
bool walk_ends_in_circle(State at, Next next) {
    std::set<State> seen{at};
    while (std::optional<State> to = next(at)) {
        if (!seen.insert(*to).second) return true;
        at = *std::move(to);
    }
    return false;
}

constexpr uint32_t unreached = ~uint32_t{0};

// The states that a search has reached, by place.
struct Reached {
    std::vector<uint32_t> distance; // from the start, in steps; or `unreached`
    std::vector<uint32_t> from;     // the previous place; `unreached` at the start
};

// Searches places below `places` from `start` on, level by level. `expand(from, reach)` calls `reach(to)` for
// each step from a place. `finish_level(level)` receives the places of the next level; it may sort them, and
// ends the search by returning false.
template <typename Expand, typename FinishLevel>
Reached search_breadth_first(size_t places, uint32_t start, Expand expand, FinishLevel finish_level) {
    Reached reached{std::vector(places, unreached), std::vector(places, unreached)};
    reached.distance[start] = 0;
    std::vector<uint32_t> level{start};
    while (!level.empty()) {
        std::vector<uint32_t> next;
        for (const uint32_t from : level)
            expand(from, [&](uint32_t to) {
                if (reached.distance[to] != unreached) return;
                reached.distance[to] = reached.distance[from] + 1;
                reached.from[to] = from;
                next.push_back(to);
            });
        if (!finish_level(next)) break;
        level = std::move(next);
    }
    return reached;
}

struct PathStep {
    NodeId to = no_node;
    std::vector<EdgeOrigin> edges; // why, from the previous step
};

enum class WalkEnd : uint8_t {
    no_successor, // nothing leads further
    held_back,    // there is an edge, but OLM v1 prefers the installed version
    refused,      // OLM v1 does not install the last step: it declares a dependency
    loop,         // the last step repeats an earlier one
    unordered,    // OLM classic cannot order the channel
    cut,          // it goes on, but so many steps were not asked for
};

// The automatic upgrades of a cluster, one step at a time, until it stays.
struct Walk {
    std::vector<PathStep> steps;
    WalkEnd end = WalkEnd::no_successor;

    NodeId last(NodeId start) const { return steps.empty() ? start : steps.back().to; }
    bool passes(NodeId node) const;
};
inline constexpr size_t all_steps = SIZE_MAX;

// The next steps of all versions of a package, in all of its channels, for callers that ask about many of
// them: a question takes time in proportion to the package otherwise. Refers to the graph.
class KnownSteps {
public:
    // Nothing if they take more places than are left, channels times versions; else so many less are left
    // then. Also if OLM v1 crashes.
    static std::optional<KnownSteps> of(const PackageGraph& graph, uint64_t& places_left);

    // By node, as classic_next_steps has them.
    const std::vector<NodeId>& classic(const ChannelGraph& channel) const;
    const std::vector<NodeId>& v1() const { return v1_; }
    // Returns what the function v1_successors returns, with the first candidate only.
    V1Successors v1_successors(NodeId installed) const;
    // Returns true if both OLMs' paths from it are known: it gets to the head of each channel that has it.
    // Questions about others still take time in proportion to the package, to explain why it does not.
    bool knows_paths(NodeId installed) const;

private:
    explicit KnownSteps(const PackageGraph& graph);
    bool has_one_best(NodeId installed) const;

    const PackageGraph* graph_;
    std::vector<const ChannelGraph*> channels_;
    std::vector<std::vector<NodeId>> classic_; // of the channels of the graph
    std::vector<NodeId> v1_;
    std::vector<NodeId> best_candidates_;
    std::vector<bool> has_twin_;      // of its version, by node
    std::vector<bool> gets_to_heads_; // by node
};

// `known`: of the package, or nullptr; walk_v1 then takes all of its channels.
Walk walk_classic(const PackageGraph& graph, const ChannelGraph& channel, const Installed& from,
                  size_t most = all_steps, const KnownSteps* known = nullptr);
Walk walk_v1(const PackageGraph& graph, std::span<const ChannelGraph* const> channels, const Installed& from,
             size_t most = all_steps, const KnownSteps* known = nullptr);

// The allowed edges: those of all entries of some channels, as in OLM v1, or only those to entries of their
// chains, as in OLM classic.
struct EdgeScope {
    std::vector<const ChannelGraph*> channels;
    bool chains_only = false;
};

// The shortest paths from every node to one target.
class ShortestPaths {
public:
    // Near-linear in nodes and edges; a skipRange counts as the intervals that it covers. Refers to `graph`.
    ShortestPaths(const PackageGraph& graph, const EdgeScope& scope, NodeId target);

    // Steps to the target; nothing: there is no path.
    std::optional<uint32_t> distance(NodeId from) const;
    // The next node on the path; no_node at the target and without a path.
    NodeId next(NodeId from) const { return reached_.from[from]; }
    // The whole path, also from a version without a node. Nothing if there is none; empty at the target.
    std::optional<std::vector<PathStep>> path(const Installed& from) const;

private:
    std::vector<EdgeOrigin> edges(const Installed& from, NodeId to) const;

    const PackageGraph& graph_;
    NodeId target_;
    std::vector<std::vector<NodeEntry>> entries_; // allowed as a step, by node
    Reached reached_;
};

// Without a path: the reason, and the nearest approach. If the scope has chains only, OLM classic can order
// its channels.
struct NoPath {
    std::string reason;
    std::vector<std::string> alternatives; // best first
};
NoPath explain_no_path(const PackageGraph& graph, const EdgeScope& scope, const Installed& from,
                       NodeId target);

} // namespace opcat
