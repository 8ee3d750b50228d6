#include "opcat/base/listed.hpp"
#include "opcat/olm/paths.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

std::string_view name_of(const PackageGraph& graph, NodeId node) {
    return graph.nodes[node].name;
}

std::string listed_channels(const EdgeScope& scope) {
    if (scope.channels.size() == 1) return fmt::format("channel \"{}\"", scope.channels.front()->name);
    return "any channel";
}

// The nodes to which edges lead from the installed version; empty: none.
std::vector<NodeId> next_steps_of(const PackageGraph& graph, const EdgeScope& scope, const Installed& from) {
    std::vector<NodeId> nodes;
    for (const ChannelGraph* channel : scope.channels)
        for (const GraphEntry& entry : channel->entries)
            if (entry.node != from.node && !edges_from(graph, *channel, entry, from).empty())
                nodes.push_back(entry.node);
    return nodes;
}

bool is_entry(const EdgeScope& scope, NodeId node) {
    return std::any_of(scope.channels.begin(), scope.channels.end(),
                       [&](const ChannelGraph* channel) { return channel->find(node) != nullptr; });
}

// Why nothing leads to the target itself; empty if something does.
std::string why_not_entered(const PackageGraph& graph, const EdgeScope& scope, NodeId target) {
    for (const ChannelGraph* channel : scope.channels) {
        if (!channel->find(target)) continue;
        if (scope.chains_only && !channel->is_on_chain(target))
            return fmt::format(
                "{} is not on the replaces chain of channel \"{}\", from which OLM classic chooses",
                name_of(graph, target), channel->name);
        if (scope.chains_only && graph.nodes[target].is_prohibited)
            return fmt::format("{} has the property olm.deprecated, so OLM classic never chooses it",
                               name_of(graph, target));
        const GraphEntry& entry = *channel->find(target);
        if (entry.replaces != no_node || entry.skip_count > 0 || entry.skip_range != no_range) return {};
    }
    return fmt::format("{} replaces and skips nothing in {}, so nothing leads to it", name_of(graph, target),
                       listed_channels(scope));
}

bool is_older(const GraphNode& node, const Installed& than) {
    return than.version && node.version && *node.version < *than.version;
}

std::string reason(const PackageGraph& graph, const EdgeScope& scope, const Installed& from, NodeId target) {
    const std::string start = describe(graph, from);
    if (graph.nodes[target].is_virtual())
        return fmt::format("{} is in no catalog: only edges name it", name_of(graph, target));
    if (!is_entry(scope, target))
        return fmt::format("{} is not an entry of {}", name_of(graph, target), listed_channels(scope));
    if (std::string why = why_not_entered(graph, scope, target); !why.empty()) return why;
    const GraphNode& goal = graph.nodes[target];
    if (is_older(goal, from))
        return fmt::format("{} is older than {}, and no edge leads back", goal.name, start);
    const std::vector<NodeId> on = next_steps_of(graph, scope, from);
    if (on.empty())
        return fmt::format("no entry of {} replaces or skips {}, or has a skipRange that covers it",
                           listed_channels(scope), start);
    if (scope.chains_only && scope.channels.size() == 1 &&
        std::none_of(on.begin(), on.end(),
                     [&](NodeId node) { return scope.channels.front()->is_on_chain(node); }))
        return fmt::format("{} leads only to {}, which is not on the replaces chain of the head, from which "
                           "OLM classic chooses",
                           start, name_of(graph, on.front()));
    return fmt::format("the upgrade paths from {} do not reach {}", start, goal.name);
}

std::string in_quotes(std::string_view name) {
    return fmt::format("\"{}\"", name);
}

// Other channels with a path to the target or to that channel's head; those with the same path in
// one sentence.
void add_channels(const PackageGraph& graph, const EdgeScope& scope, const Installed& from, NodeId target,
                  std::vector<std::string>& out) {
    struct Alternative {
        NodeId goal;
        size_t steps;
        std::vector<std::string_view> channels;
    };
    if (scope.channels.size() == graph.channels.size()) return; // there are no others
    constexpr size_t most_shown = 3;
    constexpr size_t most_channels = 12;
    std::vector<Alternative> alternatives;
    size_t found = 0;
    for (const bool to_target : {true, false}) {
        for (const ChannelGraph& channel : graph.channels) {
            if (found == most_channels) break;
            if (std::find(scope.channels.begin(), scope.channels.end(), &channel) != scope.channels.end())
                continue;
            const bool has_target = channel.find(target) != nullptr;
            if (channel.head() == no_node || has_target != to_target) continue;
            const NodeId goal = to_target ? target : channel.head();
            const auto path = ShortestPaths(graph, {{&channel}, scope.chains_only}, goal).path(from);
            if (!path || path->empty()) continue;
            ++found;
            const auto same =
                std::find_if(alternatives.begin(), alternatives.end(), [&](const Alternative& alternative) {
                    return alternative.goal == goal && alternative.steps == path->size();
                });
            if (same != alternatives.end())
                same->channels.push_back(channel.name);
            else if (alternatives.size() < most_shown)
                alternatives.push_back({goal, path->size(), {channel.name}});
        }
    }
    for (const Alternative& alternative : alternatives)
        out.push_back(fmt::format(
            "channel{} {} lead{} from {} to {}{}", alternative.channels.size() == 1 ? "" : "s",
            listed(alternative.channels, SIZE_MAX, in_quotes), alternative.channels.size() == 1 ? "s" : "",
            describe(graph, from), name_of(graph, alternative.goal),
            alternative.steps == 1 ? "" : fmt::format(" in {} steps", alternative.steps)));
}

// The version nearest to the installed one from which there is a path.
void add_version_between(const PackageGraph& graph, const ShortestPaths& paths, const Installed& from,
                         NodeId target, std::vector<std::string>& out) {
    if (!from.version) return;
    const GraphNode* above = nullptr;
    const GraphNode* below = nullptr;
    for (const NodeId id : graph.by_version) {
        const GraphNode& node = graph.nodes[id];
        if (id == target || node.is_virtual() || !paths.distance(id)) continue;
        if (*node.version < *from.version)
            below = &node;
        else if (!above)
            above = &node;
    }
    if (above)
        out.push_back(fmt::format("there is a path from {} to {}: install it in place of {} (OLM v1: "
                                  "upgradeConstraintPolicy SelfCertified)",
                                  above->name, name_of(graph, target), describe(graph, from)));
    else if (below)
        out.push_back(
            fmt::format("{}, which is older, has a path to {}; OLM v1 goes back to it, or straight on, "
                        "only with upgradeConstraintPolicy SelfCertified",
                        below->name, name_of(graph, target)));
}

Walk walk_of(const PackageGraph& graph, const EdgeScope& scope, const Installed& from) {
    return scope.chains_only && scope.channels.size() == 1
               ? walk_classic(graph, *scope.channels.front(), from)
               : walk_v1(graph, scope.channels, from);
}

// Edges lead to the target, but the preferred ones do not: where they part.
std::string why_passed_by(const PackageGraph& graph, const EdgeScope& scope, const ShortestPaths& paths,
                          const Installed& from, NodeId target) {
    std::string at = describe(graph, from);
    for (const PathStep& step : walk_of(graph, scope, from).steps) {
        const std::string_view to = name_of(graph, step.to);
        if (!paths.distance(step.to))
            return fmt::format("{} is upgraded to {}, {}, from where no edge leads back to {}", at, to,
                               scope.chains_only ? "the successor nearest to the head"
                                                 : "the highest version that edges lead to",
                               name_of(graph, target));
        at = to;
    }
    return fmt::format("{} is not upgraded, though edges lead on to {}", at, name_of(graph, target));
}

// A user who requests the version of each step from OLM v1 follows the edges.
void add_pinned(const PackageGraph& graph, const std::vector<PathStep>& path, std::vector<std::string>& out) {
    constexpr size_t most = 5;
    for (const PathStep& step : path)
        if (const GraphNode& node = graph.nodes[step.to];
            node.bundle && dependency_refused_by_v1(*node.bundle)) {
            out.push_back(
                fmt::format("OLM v1 does not go there either: {} has dependencies, and OLM v1 installs "
                            "no such bundle",
                            node.name));
            return;
        }
    std::string versions;
    for (size_t i = 0; i < path.size() && i < most; ++i)
        versions += fmt::format("{}\"{}\"", i > 0 ? ", then " : "", graph.nodes[path[i].to].version_text);
    if (path.size() > most) versions += fmt::format(", and so on in {} steps", path.size());
    out.push_back(fmt::format("OLM v1 goes there if the ClusterExtension asks for version {}", versions));
}

// Adds a sentence that says how far users get.
void add_farthest(const PackageGraph& graph, const EdgeScope& scope, const Installed& from,
                  std::vector<std::string>& out) {
    const Walk walk = walk_of(graph, scope, from);
    if (walk.steps.empty() || walk.end == WalkEnd::loop) return;
    out.push_back(fmt::format("{} is upgraded as far as {}", describe(graph, from),
                              name_of(graph, walk.steps.back().to)));
}

} // namespace

NoPath explain_no_path(const PackageGraph& graph, const EdgeScope& scope, const Installed& from,
                       NodeId target) {
    const ShortestPaths paths(graph, scope, target);
    const bool passed_by = paths.path(from).has_value();
    NoPath answer{passed_by ? why_passed_by(graph, scope, paths, from, target)
                            : reason(graph, scope, from, target),
                  {}};
    const EdgeScope wide{scope.channels, false};
    if (const auto path = ShortestPaths(graph, wide, target).path(from); path && !path->empty())
        add_pinned(graph, *path, answer.alternatives);
    add_channels(graph, scope, from, target, answer.alternatives);
    if (passed_by) return answer;
    add_farthest(graph, scope, from, answer.alternatives);
    if (!is_older(graph.nodes[target], from))
        add_version_between(graph, paths, from, target, answer.alternatives);
    return answer;
}

} // namespace opcat
