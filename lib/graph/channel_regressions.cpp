#include "opcat/base/listed.hpp"
#include "opcat/graph/regression_search.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/olm/v1_rules.hpp"
#include "opcat/resolve/v1/install_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_set>

namespace opcat {

std::vector<RegressionSearch::Follower> RegressionSearch::followers_of(const ChannelGraph& old) const {
    std::vector<Follower> all;
    std::unordered_set<NodeId> seen;
    const auto add = [&](NodeId id, bool is_entry) {
        if (id == no_node || !counts(before_.nodes[id]) || !seen.insert(id).second) return;
        const GraphNode& node = before_.nodes[id];
        all.push_back({installed_node(before_, id), in_new(node), node.name, node.version, is_entry});
    };
    for (const GraphEntry& entry : old.entries) add(entry.node, true);
    for (const GraphEntry& entry : old.entries) {
        add(entry.replaces, options_.installed.has_value());
        for (const NodeId skip : before_.skips_of(entry)) add(skip, options_.installed.has_value());
    }
    for (const InstalledVersion* one : installed_) {
        bool is_known = false;
        for (NodeId id = 0; id < before_.nodes.size(); ++id) {
            const GraphNode& node = before_.nodes[id];
            if (one->name.empty() ? !node.version || !one->version || *node.version != *one->version
                                  : node.name != one->name)
                continue;
            is_known = true;
            add(id, true);
        }
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
    // Each search begins with a table of all bundles of the package.
    work_.take_or_throw(10 * (before_.nodes.size() + after_.nodes.size()),
                        fmt::format("comparing channel {} of package {}", now.name, after_.name));
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
            if (was_stranded[i]) continue;
            reported.insert(follower.name);
            led_on_less_.insert(follower.name);
            stranded.push_back(follower.name);
            continue;
        }
        if (!follower.is_entry || !follower.version || !follower.version->version.prerelease.empty())
            continue;
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
    if (in_chains) check_circles(old, now, followers);
    // Where named ones are lost, their cause is known.
    if (!options_.installed && reported.empty()) check_ranges(old, now);
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
    if (old_goal == no_node || goal == no_node) return;
    const std::vector<NodeId> old_ends = ends_of(before_, old, OlmGeneration::v1);
    const std::vector<NodeId> ends = ends_of(after_, now, OlmGeneration::v1);
    std::map<std::pair<NodeId, NodeId>, std::vector<std::string_view>> held_back; // by both ends
    for (const Follower& follower : followers) {
        if (follower.before.node == no_node || reported.contains(follower.name)) continue;
        const NodeId old_end = old_ends[follower.before.node];
        if (old_end == no_node) continue;
        const NodeId end = end_of(follower, now, ends, OlmGeneration::v1);
        if (end == goal || (end == no_node && follower.now.node != no_node)) continue;
        if (old_end != old_goal) {
            // What held them back before the head may still do so: less is a lower version than they got.
            const auto& was = before_.nodes[old_end].version;
            const auto& is = end == no_node ? follower.now.version : after_.nodes[end].version;
            if (!was || !is || !(*is < *was)) continue;
        }
        held_back[{old_end, end}].push_back(follower.name);
        led_on_less_.insert(follower.name);
    }
    for (auto& [places, names] : held_back) {
        const auto [old_end, end] = places;
        const bool stays = end == no_node || (names.size() == 1 && names.front() == after_.nodes[end].name);
        std::string message = fmt::format(
            "OLM v1 led {} to {} channel {}, and ", listed(names, most_named),
            old_end == old_goal ? "the head of" : fmt::format("{} in", before_.nodes[old_end].name),
            now.name);
        message += stays ? fmt::format("keeps {} where {} now", names.size() == 1 ? "it" : "them",
                                       names.size() == 1 ? "it is" : "they are")
                         : fmt::format("leads {} no further than {} now", names.size() == 1 ? "it" : "them",
                                       after_.nodes[end].name);
        if (const std::string why = end == no_node ? "" : why_held_back(end, now); !why.empty())
            message += ": " + why;
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
    return olm == OlmGeneration::v1 ? v1_ends_of(graph, channels)
                                    : ends_along(classic_next_steps(graph, channel));
}

std::vector<NodeId> RegressionSearch::v1_ends_of(const PackageGraph& graph,
                                                 std::span<const ChannelGraph* const> channels) {
    std::vector<NodeId> next = v1_next_steps(graph, channels);
    std::map<NodeId, bool> refused; // each bundle is looked at once
    for (NodeId& to : next) {
        if (to == no_node) continue;
        const auto [known, is_new] = refused.try_emplace(to, false);
        if (is_new) known->second = !olmv1::known_refusal(*graph.nodes[to].bundle).empty();
        if (known->second) to = no_node;
    }
    return ends_along(next);
}

std::vector<NodeId> RegressionSearch::ends_along(const std::vector<NodeId>& next) {
    std::vector<NodeId> ends(next.size(), no_node);
    std::vector<bool> seen(next.size());
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

void RegressionSearch::check_without_channels() {
    if (after_.channels.empty() || before_.channels.size() + after_.channels.size() < 3) return;
    const std::vector<const ChannelGraph*> channels = after_.all_channels();
    const std::vector<NodeId> old_ends = v1_ends_of(before_, before_.all_channels());
    const std::vector<NodeId> ends = v1_ends_of(after_, channels);
    const auto is_offered = [&](NodeId id) {
        const auto entries = after_.entries_of(id);
        return !after_.nodes[id].is_virtual() && !after_.nodes[id].deprecation &&
               std::ranges::any_of(entries, [&](const NodeEntry& of) { return !of.channel->is_skipped(id); });
    };
    const auto end_of_user = [&](const Installed& user) {
        if (user.node != no_node) return ends[user.node];
        work_.take_or_throw(10 * after_.bundles.size(),
                            fmt::format("following the channels of package {}", after_.name));
        const Walk walk = walk_v1(after_, channels, user, 1);
        return walk.steps.empty() ? no_node : ends[walk.steps.front().to];
    };
    std::map<std::pair<NodeId, NodeId>, std::vector<std::string_view>> worse; // by both ends, in the new one
    for (NodeId id = 0; id < before_.nodes.size(); ++id) {
        const GraphNode& node = before_.nodes[id];
        if (!counts(node) || old_ends[id] == no_node || old_ends[id] == id) continue;
        const NodeId goal = find(after_, before_.nodes[old_ends[id]].name);
        if (goal == no_node || !is_offered(goal) || led_on_less_.contains(node.name)) continue;
        const Installed user = in_new(node);
        const NodeId end = end_of_user(user); // no_node: it stays, and the new catalog does not name it
        if (end == goal) continue;
        const auto& is = end == no_node ? user.version : after_.nodes[end].version;
        const auto& was = after_.nodes[goal].version;
        if (is && was && *is < *was) worse[{goal, end}].push_back(node.name);
    }
    for (auto& [places, names] : worse) {
        const bool is_one = names.size() == 1;
        const bool stays =
            places.second == no_node || (is_one && names.front() == after_.nodes[places.second].name);
        std::string message =
            fmt::format("OLM v1 led {} to {} where no channel is named, and {} now",
                        listed(names, most_named), after_.nodes[places.first].name,
                        stays ? fmt::format("keeps {}", is_one ? "it where it is" : "them where they are")
                              : fmt::format("leads {} no further than {}", is_one ? "it" : "them",
                                            after_.nodes[places.second].name));
        add(RegressionKind::stranded, {}, std::move(message), std::move(names),
            after_.package ? after_.package->at(after_.package->name) : Location{});
    }
}

NodeId RegressionSearch::end_of(const Follower& follower, const ChannelGraph& now,
                                const std::vector<NodeId>& ends, OlmGeneration olm) {
    if (follower.now.node != no_node) return ends[follower.now.node];
    work_.take_or_throw(10 * now.entries.size(),
                        fmt::format("following channel {} of package {}", now.name, after_.name));
    const ChannelGraph* const channels[] = {&now};
    const Walk walk = olm == OlmGeneration::v1 ? walk_v1(after_, channels, follower.now, 1)
                                               : walk_classic(after_, now, follower.now, 1);
    return walk.steps.empty() ? no_node : ends[walk.steps.front().to];
}

void RegressionSearch::check_circles(const ChannelGraph& old, const ChannelGraph& now,
                                     const std::vector<Follower>& followers) {
    const std::vector<NodeId> ends = ends_of(after_, now, OlmGeneration::classic);
    if (std::ranges::find(ends, no_node) == ends.end()) return;
    const std::vector<NodeId> old_ends = ends_of(before_, old, OlmGeneration::classic);
    std::vector<std::string_view> circling;
    for (const Follower& follower : followers) {
        const NodeId before = follower.before.node;
        if (follower.now.node != no_node && ends[follower.now.node] == no_node &&
            (before == no_node || old_ends[before] != no_node))
            circling.push_back(follower.name);
    }
    if (circling.empty()) return;
    std::string message =
        fmt::format("OLM classic upgrades {} in a circle, without end: in channel {} a skipRange covers a "
                    "version that is higher than its entry's",
                    listed(circling, most_named), now.name);
    add(RegressionKind::stranded, now.name, std::move(message), std::move(circling),
        now.channel->at(now.channel->name));
}

void RegressionSearch::check_ranges(const ChannelGraph& old, const ChannelGraph& now) {
    const NodeId goal = goal_of(after_, now, false);
    if (goal == no_node || !after_.nodes[goal].version) return;
    const semver::Version& highest = after_.nodes[goal].version->version;
    const bool counts_chain =
        chains_only() && old.problem == ChainProblem::none && now.problem == ChainProblem::none;
    const auto ranges_of = [](const PackageGraph& graph, const ChannelGraph& channel, bool in_chain) {
        std::vector<const semver::BlangRange*> ranges;
        std::set<uint32_t> seen;
        for (size_t i = 0; i < channel.entries.size(); ++i) {
            const uint32_t id = channel.entries[i].skip_range;
            if (id == no_range || (in_chain && !channel.in_chain[i]) || !seen.insert(id).second) continue;
            if (const auto& range = graph.skip_ranges[id].range) ranges.push_back(&*range);
        }
        return ranges;
    };
    std::vector<semver::Version> versions; // at which the answer of a range may change
    for (const auto* range : ranges_of(before_, old, false)) range->append_bounds(versions);
    for (const auto* range : ranges_of(after_, now, false)) range->append_bounds(versions);
    std::ranges::sort(versions);
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
    const auto is_named = [](const PackageGraph& graph, const semver::Version& version) {
        const semver::RankInterval ranks = graph.ranks_of({version, {}});
        return ranks.begin < ranks.end;
    };
    std::erase_if(versions, [&](const semver::Version& version) {
        return !(version < highest) || is_named(before_, version) || is_named(after_, version);
    });
    const auto covered = [&](const std::vector<const semver::BlangRange*>& ranges) {
        std::vector<int64_t> depth(versions.size() + 1); // first of changes, then of each version
        for (const semver::BlangRange* range : ranges)
            for (const auto& [begin, end] : range->ranks_in(
                     versions.size(), [&](size_t i) -> const semver::Version& { return versions[i]; })) {
                ++depth[begin];
                --depth[end];
            }
        std::partial_sum(depth.begin(), depth.end(), depth.begin());
        return depth;
    };
    std::vector<std::string> lost;
    for (const bool in_chain : {true, false}) {
        if (!lost.empty() || (in_chain ? !counts_chain : options_.olm == OlmGeneration::classic)) continue;
        const std::vector<int64_t> was = covered(ranges_of(before_, old, in_chain));
        const std::vector<int64_t> is = covered(ranges_of(after_, now, in_chain));
        for (size_t i = 0; i < versions.size(); ++i)
            if (was[i] > 0 && is[i] == 0) lost.push_back(versions[i].to_string());
        if (lost.empty()) continue;
        add(RegressionKind::stranded, now.name,
            fmt::format("users of versions that no bundle has, such as {}, get no upgrade{} in channel {} "
                        "now: a skipRange covered them",
                        listed(lost, most_named), in_chain ? "" : " from OLM v1", now.name),
            {}, now.channel->at(now.channel->name));
    }
}

void RegressionSearch::describe_upgrades(const ChannelGraph& old, const ChannelGraph& now,
                                         const std::vector<Follower>& followers) {
    const std::vector<NodeId> old_ends = ends_of(before_, old, options_.olm.value_or(OlmGeneration::classic));
    const std::vector<NodeId> ends = ends_of(after_, now, options_.olm.value_or(OlmGeneration::classic));
    std::map<NodeId, std::vector<std::string_view>> arriving;
    for (const Follower& follower : followers) {
        if (!follower.is_entry) continue;
        const NodeId end = end_of(follower, now, ends, options_.olm.value_or(OlmGeneration::classic));
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
