#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/graph/catalog_diff.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/olm/next_steps.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace opcat {
namespace {

class Health {
public:
    Health(const PackageView& view, Diagnostics& out) : view_(view), graph_(*view.package), out_(out) {}

    void run() {
        for (const ChannelGraph* channel : view_.channels) {
            if (channel->entries.empty()) continue;
            const std::vector<NodeId> next = classic_next_steps(graph_, *channel);
            check_loops(next, fmt::format("OLM classic, in channel \"{}\",", channel->name));
            check_order(*channel);
            check_ways(*channel);
            check_reachable(*channel);
            check_gaps(*channel);
        }
        v1_next_ = v1_next_steps(graph_, view_.channels);
        check_loops(v1_next_, "OLM v1");
        check_ambiguous();
        check_minor_steps();
        check_channel_switches();
        check_default_channel();
        check_apis();
    }

private:
    std::string_view name(NodeId id) const { return graph_.nodes[id].name; }

    std::string names_of(const std::vector<NodeId>& nodes) const {
        return listed(nodes, 4, [&](NodeId node) { return name(node); });
    }

    Location place_in(const ChannelGraph& channel, NodeId id) const {
        const GraphEntry* const entry = channel.find(id);
        return entry ? channel.channel->at(entry->source->name) : graph_.nodes[id].where;
    }

    void check_loops(const std::vector<NodeId>& next, const std::string& who) {
        std::vector<uint32_t> seen_in(next.size());
        uint32_t walk = 0;
        for (NodeId start = 0; start < next.size(); ++start) {
            ++walk;
            NodeId at = start;
            while (at != no_node && seen_in[at] == 0) {
                seen_in[at] = walk;
                at = next[at];
            }
            if (at == no_node || seen_in[at] != walk) continue;
            std::vector<NodeId> loop{at};
            for (NodeId one = next[at]; one != at; one = next[one]) loop.push_back(one);
            out_.push_back(warning("graph-loop", graph_.nodes[at].where,
                                   fmt::format("{} upgrades in a loop forever: {}", who, names_of(loop)),
                                   "end the skipRange of each entry below the entry's own version"));
        }
    }

    // opm stops at a replaced entry that is skipped, and refuses what leads back to an entry before that.
    bool opm_takes_chain(const ChannelGraph& channel) const {
        std::vector<bool> seen(graph_.nodes.size());
        NodeId at = channel.head();
        while (at != no_node && !seen[at]) {
            seen[at] = true;
            const GraphEntry* const entry = channel.find(at);
            at = entry && !channel.is_skipped(entry->replaces) ? entry->replaces : no_node;
        }
        return at == no_node;
    }

    void check_order(const ChannelGraph& channel) {
        if (channel.problem != ChainProblem::cycle || !opm_takes_chain(channel)) return;
        out_.push_back(warning("graph-circle", channel.channel->at(channel.channel->name),
                               fmt::format("OLM classic cannot order channel \"{}\": {}", channel.name,
                                           describe(channel.problem)),
                               "let the oldest entry replace nothing in this channel"));
    }

    void check_ways(const ChannelGraph& channel) {
        if (channel.problem != ChainProblem::none || channel.chain.empty()) return;
        const NodeId head = channel.head();
        const ShortestPaths to_head(graph_, {{&channel}, true}, head);
        std::vector<NodeId> lost;
        std::vector<bool> looked_at(graph_.nodes.size());
        const auto look_at = [&](NodeId id) {
            if (!looked_at[id] && !to_head.distance(id)) lost.push_back(id);
            looked_at[id] = true;
        };
        for (const GraphEntry& entry : channel.entries) look_at(entry.node);
        // Versions that were removed from the catalog, and that users may still have.
        for (const GraphEntry& entry : channel.entries) {
            if (entry.replaces != no_node) look_at(entry.replaces);
            for (const NodeId skip : graph_.skips_of(entry)) look_at(skip);
        }
        if (lost.empty()) return;
        out_.push_back(
            warning("graph-no-way", place_in(channel, lost.front()),
                    fmt::format("OLM classic finds no upgrade path from {} to the head of channel \"{}\"",
                                names_of(lost), channel.name),
                    fmt::format("let an entry that is not skipped replace or skip {}", name(lost.front()))));
    }

    void check_reachable(const ChannelGraph& channel) {
        std::vector<NodeId> unreachable;
        const semver::VersionRelease* lowest = nullptr;
        for (const GraphEntry& entry : channel.entries)
            if (const auto& version = graph_.nodes[entry.node].version;
                version && (!lowest || *version < *lowest))
                lowest = &*version;
        for (const GraphEntry& entry : channel.entries) {
            const auto& version = graph_.nodes[entry.node].version;
            if (!version || !lowest || !(*lowest < *version)) continue; // it is where the channel begins
            const bool covers =
                entry.skip_range != no_range && !graph_.skip_ranges[entry.skip_range].covers.empty();
            if (entry.replaces == no_node && entry.skip_count == 0 && !covers)
                unreachable.push_back(entry.node);
        }
        if (unreachable.empty()) return;
        out_.push_back(
            finding(Severity::note, "graph-unreachable", place_in(channel, unreachable.front()),
                    fmt::format("no entry of channel \"{}\" upgrades to {}; only new installations get {}",
                                channel.name, names_of(unreachable), unreachable.size() == 1 ? "it" : "them"),
                    "if older versions should be upgraded to it, add replaces, skips or a skipRange"));
    }

    void check_gaps(const ChannelGraph& channel) {
        constexpr size_t most = 20;               // each takes linear time
        std::map<NodeId, const GraphEntry*> gaps; // by the version left out
        RankSet left(static_cast<uint32_t>(graph_.by_version.size()));
        for (const GraphEntry& entry : channel.entries) {
            if (entry.skip_range == no_range) continue;
            const auto& covers = graph_.skip_ranges[entry.skip_range].covers;
            if (covers.size() < 2) continue;
            for (size_t i = 0; i + 1 < covers.size(); ++i)
                for (uint32_t rank = left.first_from(covers[i].end); rank < covers[i + 1].begin;
                     rank = left.first_from(rank + 1)) {
                    const NodeId id = graph_.by_version[rank];
                    if (id == entry.node) continue;
                    left.remove(rank);
                    if (channel.find(id) && gaps.size() < most) gaps.emplace(id, &entry);
                }
        }
        for (const auto& [id, entry] : gaps) {
            if (ShortestPaths(graph_, {{&channel}, false}, entry->node).distance(id)) continue;
            out_.push_back(
                warning("graph-skip-range-gap", channel.channel->at(entry->source->skip_range),
                        fmt::format("the skipRange of {} leaves out {}, which is between versions that it "
                                    "covers and has no other upgrade to it",
                                    name(entry->node), name(id)),
                        "widen the range, or skip the version by name"));
        }
    }

    // Bundles of equal version that lead on from the same version.
    void check_ambiguous() {
        std::map<std::pair<NodeId, NodeId>, NodeId> ties; // the two bundles, and a version that has both
        std::vector<bool> has_twin(graph_.nodes.size());
        bool any = false;
        for (size_t i = 0; i + 1 < graph_.by_version.size(); ++i) {
            const NodeId a = graph_.by_version[i];
            const NodeId b = graph_.by_version[i + 1];
            if (graph_.nodes[a].is_virtual() || graph_.nodes[b].is_virtual()) continue;
            if (*graph_.nodes[a].version == *graph_.nodes[b].version) any = has_twin[a] = has_twin[b] = true;
        }
        if (!any) return;
        constexpr size_t most = 200; // each takes linear time
        size_t asked = 0;
        for (NodeId from = 0; from < graph_.nodes.size() && asked < most; ++from) {
            if (v1_next_[from] == no_node || !has_twin[v1_next_[from]]) continue;
            ++asked;
            const V1Successors successors =
                v1_successors(graph_, view_.channels, installed_node(graph_, from));
            if (successors.ambiguous)
                ties.try_emplace({successors.candidates[0].node, successors.candidates[1].node}, from);
        }
        for (const auto& [pair, from] : ties)
            out_.push_back(
                warning("graph-ambiguous", graph_.nodes[pair.second].where,
                        fmt::format("{} can be upgraded to {} and to {}, which have the same version: which "
                                    "one OLM v1 takes is open",
                                    name(from), name(pair.first), name(pair.second)),
                        "give one of them another version"));
    }

    // Returns what to write so that versions from `from` on are upgraded to the channel's head; empty if that
    // is not known. Channels that a semver template makes have no skipRange: the edges come from the bundles
    // that it names.
    std::string way_to_head(const ChannelGraph& channel, const semver::Version& from) const {
        const NodeId head = channel.head();
        if (head == no_node || !graph_.nodes[head].version) return {};
        if (channel.channel->composed_from)
            return from.major == graph_.nodes[head].version->version.major
                       ? fmt::format("name a bundle of {}.{} among those of \"{}\", too", from.major,
                                     from.minor, channel.name)
                       : std::string();
        return fmt::format("give {} the skipRange \">={} <{}\"", name(head), from.to_string(),
                           graph_.nodes[head].version->version.to_string());
    }

    // The newest version that is older than all of the channel.
    NodeId newest_below(const ChannelGraph& channel) const {
        NodeId lowest = no_node;
        const auto is_before = [&](NodeId a, NodeId b) {
            return *graph_.nodes[a].version < *graph_.nodes[b].version;
        };
        for (const GraphEntry& entry : channel.entries)
            if (graph_.nodes[entry.node].version && (lowest == no_node || is_before(entry.node, lowest)))
                lowest = entry.node;
        NodeId newest = no_node;
        for (NodeId id = 0; id < graph_.nodes.size(); ++id)
            if (lowest != no_node && graph_.nodes[id].version && !graph_.nodes[id].is_virtual() &&
                is_before(id, lowest) && (newest == no_node || is_before(newest, id)))
                newest = id;
        return newest;
    }

    void check_channel_switches() {
        const ChannelGraph* target = nullptr;
        for (const ChannelGraph& channel : graph_.channels)
            if (channel.is_default) target = &channel;
        if (!target || target->problem != ChainProblem::none || target->head() == no_node) return;
        const auto& head = graph_.nodes[target->head()].version;
        // Channels that are ahead of the default channel are considered again when that has caught up.
        const auto is_ahead = [&](NodeId id) {
            const auto& version = graph_.nodes[id].version;
            return head && version && *head < *version;
        };
        const std::vector<NodeId> next = classic_next_steps(graph_, *target);
        const NodeId below = newest_below(*target);
        for (const ChannelGraph* channel : view_.channels) {
            if (channel == target || channel->problem != ChainProblem::none || channel->chain.empty())
                continue;
            std::vector<NodeId> lost;
            for (const GraphEntry& entry : channel->entries)
                if (next[entry.node] == no_node && !target->find(entry.node) && !is_ahead(entry.node))
                    lost.push_back(entry.node);
            if (lost.empty()) continue;
            const bool is_line_below =
                !steps_lead_nowhere_ && std::find(lost.begin(), lost.end(), below) != lost.end();
            const auto lowest = std::min_element(lost.begin(), lost.end(), [&](NodeId a, NodeId b) {
                return graph_.nodes[a].version < graph_.nodes[b].version;
            });
            const auto& from = graph_.nodes[*lowest].version;
            out_.push_back(finding(
                is_line_below ? Severity::warning : Severity::note, "graph-channel-switch",
                channel->channel->at(channel->channel->name),
                fmt::format("users on {} who switch from channel \"{}\" to the default channel \"{}\" get no "
                            "further upgrades",
                            names_of(lost), channel->name, target->name),
                from ? way_to_head(*target, from->version) : std::string()));
        }
    }

    using Minor = std::pair<uint64_t, uint64_t>;

    std::optional<Minor> minor_of(NodeId id) const {
        const auto& version = graph_.nodes[id].version;
        if (!version) return std::nullopt;
        return Minor{version->version.major, version->version.minor};
    }

    // Returns true if a version of that minor version is upgraded into a channel: by its own edges, or by
    // those of another channel to a version that this one has, too.
    bool leads_into(const ChannelGraph& channel, const Minor& minor) const {
        constexpr size_t most = 64; // channels that are asked, each in linear time
        size_t asked = 0;
        for (const ChannelGraph* other : view_.channels) {
            if (other != &channel && ++asked > most) continue;
            const std::vector<NodeId> next = classic_next_steps(graph_, *other);
            std::vector<bool> seen(next.size());
            for (NodeId from = 0; from < next.size(); ++from) {
                if (minor_of(from) != minor) continue;
                for (NodeId at = next[from]; at != no_node && !seen[at]; at = next[at]) {
                    if (channel.find(at)) return true;
                    seen[at] = true;
                }
            }
        }
        return false;
    }

    // Users of the minor version before the first one of a channel who change to that channel.
    void check_minor_steps() {
        // In a broken channel, steps are missing that its author sees.
        for (const ChannelGraph* channel : view_.channels)
            if (channel->problem != ChainProblem::none) return;
        std::set<Minor> minors;
        for (NodeId id = 0; id < graph_.nodes.size(); ++id)
            if (const auto minor = minor_of(id); minor && !graph_.nodes[id].is_virtual())
                minors.insert(*minor);
        for (const ChannelGraph* channel : view_.channels) {
            if (channel->entries.empty()) continue;
            std::optional<Minor> first;
            for (const GraphEntry& entry : channel->entries)
                if (const auto minor = minor_of(entry.node); minor && (!first || *minor < *first))
                    first = minor;
            const auto found = first ? minors.find(*first) : minors.end();
            if (found == minors.end() || found == minors.begin()) continue;
            const Minor previous = *std::prev(found);
            if (previous.first != first->first) continue; // a new major version may begin a new sequence
            if (leads_into(*channel, previous)) continue;
            steps_lead_nowhere_ |= channel->is_default;
            semver::Version from;
            from.major = previous.first;
            from.minor = previous.second;
            const std::string way = way_to_head(*channel, from);
            out_.push_back(finding(
                channel->is_default ? Severity::warning : Severity::note, "graph-minor-step",
                channel->channel->at(channel->channel->name),
                fmt::format(
                    "channel \"{}\" begins with {}.{} and has no upgrade from any version {}.{} of the "
                    "package",
                    channel->name, first->first, first->second, previous.first, previous.second),
                channel->channel->composed_from
                    ? way
                    : fmt::format("let an entry replace, skip or cover the last {}.{}, so that users can "
                                  "change to the channel{}{}",
                                  previous.first, previous.second, way.empty() ? "" : ": ", way)));
        }
    }

    // Channels whose names say that they are for testing.
    static bool is_for_testing(std::string_view channel) {
        const std::string name = ascii_lower(channel);
        for (const std::string_view word : {"alpha", "beta", "candidate", "preview", "nightly", "dev", "edge",
                                            "fast", "test", "rc", "unstable", "experimental", "early"})
            if (name.find(word) != name.npos) return true;
        return false;
    }

    void check_default_channel() {
        const ChannelGraph* chosen = nullptr;
        const ChannelGraph* newest = nullptr;
        const auto version_of_head = [&](const ChannelGraph& channel) {
            return channel.head() == no_node ? nullptr : &graph_.nodes[channel.head()].version;
        };
        for (const ChannelGraph& channel : graph_.channels) {
            const auto* const head = version_of_head(channel);
            if (channel.is_default) chosen = &channel;
            if (!head || !*head || !(*head)->version.prerelease.empty() || channel.deprecation ||
                is_for_testing(channel.name))
                continue;
            if (!newest || **version_of_head(*newest) < **head) newest = &channel;
        }
        if (!chosen || !newest || newest == chosen) return;
        const auto* const head = version_of_head(*chosen);
        if (!head || !*head || !(**head < **version_of_head(*newest))) return;
        out_.push_back(finding(
            Severity::note, "default-channel-old", chosen->channel->at(chosen->channel->name),
            fmt::format("the head of the default channel \"{}\" is {}; channel \"{}\" has the newer {}",
                        chosen->name, name(chosen->head()), newest->name, name(newest->head())),
            fmt::format("make \"{}\" the default if users who do not choose a channel should get it",
                        newest->name)));
    }

    // Reports APIs that the heads lack. Changes within definitions are left to `opcat diff`: there are too
    // many.
    void check_apis() {
        for (const EdgeRegression& edge : find_api_regressions({}, graph_, Definitions::ignored)) {
            const auto channel = std::ranges::find_if(
                view_.channels, [&](const ChannelGraph* one) { return one->head() == edge.to; });
            if (channel == view_.channels.end()) continue;
            out_.push_back(warning("graph-api-removed", place_in(**channel, edge.to), edge.message,
                                   "keep the version in the bundle's definitions until no cluster stores "
                                   "objects of it"));
        }
    }

    const PackageView& view_;
    const PackageGraph& graph_;
    Diagnostics& out_;
    std::vector<NodeId> v1_next_;
    bool steps_lead_nowhere_ = false; // a minor step to the default channel is reported
};

} // namespace

Diagnostics check_health(const GraphView& view) {
    Diagnostics findings;
    for (const PackageView& package : view) Health(package, findings).run();
    sort_by_place(findings);
    return findings;
}

} // namespace opcat
