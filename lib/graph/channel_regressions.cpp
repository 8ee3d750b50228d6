#include "opcat/base/listed.hpp"
#include "opcat/graph/regression_search.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/olm/v1_rules.hpp"
#include "opcat/resolve/v1/install_rules.hpp"

#include <fmt/format.h>

namespace opcat {

std::vector<RegressionSearch::Follower> RegressionSearch::followers_of(const ChannelGraph& old) const {
    std::vector<Follower> all;
    for (const GraphEntry& entry : old.entries) {
        const GraphNode& node = before_.nodes[entry.node];
        if (counts(node))
            all.push_back({installed_node(before_, entry.node), in_new(node), node.name, node.version});
    }
    for (const InstalledVersion* one : installed_) {
        const bool is_known = std::ranges::any_of(before_.nodes, [&](const GraphNode& node) {
            return one->name.empty() ? node.version && one->version && *node.version == *one->version
                                     : node.name == one->name;
        });
        if (is_known || one->package.empty()) continue;
        const Installed gone{no_node, one->name, one->version};
        const NodeId now = one->name.empty() ? no_node : find(after_, one->name);
        Installed there = now == no_node ? gone : installed_node(after_, now);
        if (one->version) there.version = one->version;
        all.push_back({gone, there, one->name.empty() ? one->text : one->name, one->version});
    }
    return all;
}

NodeId RegressionSearch::goal_of(const PackageGraph& graph, const ChannelGraph& channel, bool chains_only) {
    if (chains_only)
        return channel.problem == ChainProblem::none && !channel.chain.empty() ? channel.head() : no_node;
    if (channel.head() != no_node) return channel.head();
    NodeId highest = no_node;
    for (const GraphEntry& entry : channel.entries) {
        const GraphNode& node = graph.nodes[entry.node];
        if (node.is_virtual() || !node.version) continue;
        if (highest == no_node || *graph.nodes[highest].version < *node.version) highest = entry.node;
    }
    return highest;
}

void RegressionSearch::check_channel(const ChannelGraph& old, const ChannelGraph& now) {
    const Location where = now.channel->at(now.channel->name);
    const std::vector<Follower> followers = followers_of(old);
    if (followers.empty()) return;
    // OLM v1 needs no order: what a broken channel does to its users is then still to be said.
    const bool in_chains = chains_only() && now.problem == ChainProblem::none;
    if (chains_only() && !in_chains) {
        const RegressionKind kind =
            now.problem == ChainProblem::several_heads ? RegressionKind::ambiguous : RegressionKind::stranded;
        std::vector<std::string_view> all;
        all.reserve(followers.size());
        for (const Follower& follower : followers) all.push_back(follower.name);
        if (old.problem == ChainProblem::none)
            add(kind, now.name, fmt::format("channel {} is broken: {}", now.name, describe(now.problem)),
                std::move(all), where);
        if (options_.olm) return; // classic alone
    }
    const NodeId head = goal_of(after_, now, in_chains);
    if (head == no_node) return;
    const ShortestPaths to_head(after_, {{&now}, in_chains}, head);
    std::vector<std::string_view> stranded;
    std::set<std::string_view> reported;
    const std::vector<bool> was_stranded = without_path(old, followers, in_chains);
    std::map<NodeId, std::vector<std::string_view>> left_behind; // by the newest of a stream
    const std::map<std::pair<uint64_t, uint64_t>, NodeId> newest = newest_of_streams(now);
    std::map<NodeId, ShortestPaths> to_newest;
    for (size_t i = 0; i < followers.size(); ++i) {
        const Follower& follower = followers[i];
        if (!has_path(to_head, follower.now)) {
            reported.insert(follower.name);
            if (!was_stranded[i]) stranded.push_back(follower.name);
            continue;
        }
        if (!follower.version || !follower.version->version.prerelease.empty()) continue;
        const auto stream = newest.find({follower.version->version.major, follower.version->version.minor});
        if (stream == newest.end() || stream->second == follower.now.node) continue;
        const GraphNode& goal = after_.nodes[stream->second];
        if (!(*follower.version < *goal.version)) continue;
        const auto paths =
            to_newest.try_emplace(stream->second, after_, EdgeScope{{&now}, in_chains}, stream->second).first;
        if (!has_path(paths->second, follower.now)) left_behind[stream->second].push_back(follower.name);
    }
    if (!stranded.empty()) {
        std::string message = fmt::format("no upgrade path from {} to the head of channel {}",
                                          listed(stranded, most_named), now.name);
        add(RegressionKind::stranded, now.name, std::move(message), std::move(stranded), where);
    }
    for (auto& [goal, names] : left_behind) {
        std::string message = fmt::format("{} {} not lead to {}, the newest of the stream in channel {}",
                                          listed(names, most_named), names.size() == 1 ? "does" : "do",
                                          after_.nodes[goal].name, now.name);
        add(RegressionKind::z_stream, now.name, std::move(message), std::move(names),
            after_.nodes[goal].where);
    }
    if (options_.olm != OlmGeneration::classic) {
        check_ambiguous(now, followers);
        check_held_back(old, now, followers, reported);
    }
    describe_upgrades(old, now, followers);
}

void RegressionSearch::check_held_back(const ChannelGraph& old, const ChannelGraph& now,
                                       const std::vector<Follower>& followers,
                                       const std::set<std::string_view>& reported) {
    const NodeId old_goal = goal_of(before_, old, chains_only());
    const NodeId goal = goal_of(after_, now, chains_only());
    // Nobody is led to what is deprecated: that is what a deprecation is for.
    if (old_goal == no_node || goal == no_node || after_.nodes[goal].deprecation) return;
    const std::vector<NodeId> old_ends = ends_of(before_, old, OlmGeneration::v1);
    const std::vector<NodeId> ends = ends_of(after_, now, OlmGeneration::v1);
    std::map<NodeId, std::vector<std::string_view>> held_back; // by where they end
    for (const Follower& follower : followers) {
        if (follower.before.node == no_node || follower.now.node == no_node) continue;
        const NodeId end = ends[follower.now.node];
        if (old_ends[follower.before.node] != old_goal || end == goal || end == no_node) continue;
        if (!reported.contains(follower.name)) held_back[end].push_back(follower.name);
    }
    for (auto& [end, names] : held_back) {
        const bool stays = names.size() == 1 && names.front() == after_.nodes[end].name;
        std::string message =
            fmt::format("OLM v1 led {} to the head of channel {}, and ", listed(names, most_named), now.name);
        message += stays ? "keeps it where it is now"
                         : fmt::format("leads {} no further than {} now", names.size() == 1 ? "it" : "them",
                                       after_.nodes[end].name);
        if (const std::string why = why_held_back(end, now); !why.empty()) message += ": " + why;
        add(RegressionKind::stranded, now.name, std::move(message), std::move(names),
            now.channel->at(now.channel->name));
    }
}

// Why OLM v1 goes no further from a version; empty if no single bundle is the reason.
std::string RegressionSearch::why_held_back(NodeId at, const ChannelGraph& channel) const {
    const ChannelGraph* const channels[] = {&channel};
    const V1Successors successors = v1_successors(after_, channels, installed_node(after_, at));
    if (successors.candidates.empty()) return {};
    const GraphNode& best = after_.nodes[successors.candidates.front().node];
    if (successors.next != no_node)
        return fmt::format("it does not install {}: {}", best.name, olmv1::known_refusal(*best.bundle));
    if (best.deprecation && !after_.nodes[at].deprecation) return fmt::format("{} is deprecated", best.name);
    if (best.version && after_.nodes[at].version && *best.version < *after_.nodes[at].version)
        return fmt::format("{} has a lower version", best.name);
    return {};
}

std::vector<bool> RegressionSearch::without_path(const ChannelGraph& old,
                                                 const std::vector<Follower>& followers,
                                                 bool in_chains) const {
    std::vector<bool> without(followers.size());
    const NodeId goal = goal_of(before_, old, in_chains);
    if (goal == no_node) return without;
    const ShortestPaths to_head(before_, {{&old}, in_chains}, goal);
    for (size_t i = 0; i < followers.size(); ++i) without[i] = !has_path(to_head, followers[i].before);
    return without;
}

std::vector<NodeId> RegressionSearch::ends_of(const PackageGraph& graph, const ChannelGraph& channel,
                                              OlmGeneration olm) {
    const ChannelGraph* const channels[] = {&channel};
    std::vector<NodeId> next =
        olm == OlmGeneration::v1 ? v1_next_steps(graph, channels) : classic_next_steps(graph, channel);
    if (olm == OlmGeneration::v1) {
        std::map<NodeId, bool> refused; // each bundle is looked at once
        for (NodeId& to : next) {
            if (to == no_node) continue;
            const auto [known, is_new] = refused.try_emplace(to, false);
            if (is_new) known->second = !olmv1::known_refusal(*graph.nodes[to].bundle).empty();
            if (known->second) to = no_node;
        }
    }
    std::vector<NodeId> ends(graph.nodes.size(), no_node);
    std::vector<bool> seen(graph.nodes.size());
    for (NodeId start = 0; start < ends.size(); ++start) {
        std::vector<NodeId> way;
        NodeId at = start;
        while (!seen[at] && next[at] != no_node) {
            seen[at] = true;
            way.push_back(at);
            at = next[at];
        }
        // In a circle nothing ends.
        const NodeId end = next[at] == no_node ? at : ends[at];
        for (const NodeId node : way) ends[node] = end;
        if (way.empty() && next[at] == no_node) ends[at] = at;
    }
    return ends;
}

void RegressionSearch::describe_upgrades(const ChannelGraph& old, const ChannelGraph& now,
                                         const std::vector<Follower>& followers) {
    const std::vector<NodeId> old_ends = ends_of(before_, old, options_.olm.value_or(OlmGeneration::classic));
    const std::vector<NodeId> ends = ends_of(after_, now, options_.olm.value_or(OlmGeneration::classic));
    const ChannelGraph* const channels[] = {&now};
    std::map<NodeId, std::vector<std::string_view>> arriving;
    for (const Follower& follower : followers) {
        NodeId end = no_node;
        if (follower.now.node != no_node) {
            end = ends[follower.now.node];
        } else {
            work_.take_or_throw(10 * now.entries.size(),
                                fmt::format("following channel {} of package {}", now.name, after_.name));
            const Walk walk = options_.olm == OlmGeneration::v1 ? walk_v1(after_, channels, follower.now, 1)
                                                                : walk_classic(after_, now, follower.now, 1);
            if (!walk.steps.empty()) end = ends[walk.steps.front().to];
        }
        if (end == no_node || after_.nodes[end].name == follower.name) continue;
        const NodeId old_end = follower.before.node == no_node ? no_node : old_ends[follower.before.node];
        if (old_end != no_node && before_.nodes[old_end].name == after_.nodes[end].name) continue;
        if (follower.before.node != no_node || options_.installed) arriving[end].push_back(follower.name);
    }
    for (auto& [end, names] : arriving)
        upgrades_.push_back({after_.name, now.name, std::move(names), after_.nodes[end].name});
}

std::map<std::pair<uint64_t, uint64_t>, NodeId>
RegressionSearch::newest_of_streams(const ChannelGraph& channel) const {
    std::map<std::pair<uint64_t, uint64_t>, NodeId> newest;
    for (const uint32_t place : channel.chain) {
        const NodeId id = channel.entries[place].node;
        const GraphNode& node = after_.nodes[id];
        if (!node.version || node.is_virtual() || !node.version->version.prerelease.empty()) continue;
        const auto [found, is_new] =
            newest.try_emplace({node.version->version.major, node.version->version.minor}, id);
        if (!is_new && *after_.nodes[found->second].version < *node.version) found->second = id;
    }
    return newest;
}

void RegressionSearch::check_ambiguous(const ChannelGraph& now, const std::vector<Follower>& followers) {
    bool any = false;
    for (size_t i = 0; i + 1 < after_.by_version.size(); ++i) {
        const GraphNode& a = after_.nodes[after_.by_version[i]];
        const GraphNode& b = after_.nodes[after_.by_version[i + 1]];
        if (!a.is_virtual() && !b.is_virtual() && *a.version == *b.version) any = true;
    }
    if (!any) return;
    work_.take_or_throw(10 * followers.size() * after_.bundles.size(),
                        fmt::format("comparing channel {} of package {}, in which bundles have equal "
                                    "versions,",
                                    now.name, after_.name));
    std::vector<std::string_view> affected;
    const ChannelGraph* const channels[] = {&now};
    for (const Follower& follower : followers)
        if (v1_successors(after_, channels, follower.now).ambiguous) affected.push_back(follower.name);
    if (affected.empty()) return;
    std::string message = fmt::format("several bundles of one version lead on from {} in channel {}",
                                      listed(affected, most_named), now.name);
    add(RegressionKind::ambiguous, now.name, std::move(message), std::move(affected),
        now.channel->at(now.channel->name));
}

} // namespace opcat
