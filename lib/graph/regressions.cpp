#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/catalog_diff.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat {
namespace {

constexpr size_t most_named = 4; // bundles in a sentence

class RegressionSearch {
public:
    RegressionSearch(const PackageGraph& before, const PackageGraph& after, const DiffOptions& options,
                     Work& work, CatalogDiff& out)
        : before_(before), after_(after), options_(options), work_(work), out_(out.regressions),
          upgrades_(out.upgrades) {
        if (!options.installed) return;
        for (const InstalledVersion& version : *options.installed)
            if (version.package.empty() || version.package == before.name) installed_.push_back(&version);
    }

    void run() {
        if (options_.installed && installed_.empty()) return;
        check_default_channel();
        check_removed();
        check_deprecated();
        for (const ChannelGraph& channel : before_.channels) {
            if (const ChannelGraph* const now = after_.find_channel(channel.name))
                check_channel(channel, *now);
        }
        if (!options_.installed) check_skipped();
        check_rewritten();
        check_apis();
    }

    void report_package_removed() {
        std::vector<std::string_view> installed;
        for (const GraphNode& node : before_.nodes)
            if (!node.is_virtual() && counts(node)) installed.push_back(node.name);
        if (options_.installed && installed.empty()) return;
        const bool allowed =
            !before_.channels.empty() && std::ranges::all_of(before_.channels, [&](const auto& channel) {
                return is_allowed(channel.name);
            });
        out_.push_back({RegressionKind::package_removed,
                        before_.name,
                        {},
                        fmt::format("package {} is gone", before_.name),
                        std::move(installed),
                        before_.package ? before_.package->at(before_.package->name) : Location{},
                        allowed});
    }

private:
    bool is_allowed(std::string_view channel) const {
        return std::ranges::any_of(options_.allowed_channels,
                                   [&](const std::string& glob) { return matches_glob(glob, channel); });
    }

    // Whether all channels of a bundle are allowed, before and now.
    bool is_bundle_allowed(std::string_view name) const {
        size_t channels = 0;
        for (const PackageGraph* graph : {&before_, &after_})
            if (const NodeId id = find(*graph, name); id != no_node)
                for (const NodeEntry& entry : graph->entries_of(id)) {
                    if (!is_allowed(entry.channel->name)) return false;
                    ++channels;
                }
        return channels > 0;
    }

    void add(RegressionKind kind, std::string_view channel, std::string message,
             std::vector<std::string_view> installed, Location where) {
        const bool allowed =
            !channel.empty()
                ? is_allowed(channel)
                : !installed.empty() && std::ranges::all_of(installed, [&](std::string_view name) {
                      return is_bundle_allowed(name);
                  });
        out_.push_back(
            {kind, after_.name, channel, std::move(message), std::move(installed), where, allowed});
    }

    // One regression for those in other channels, one for those that are allowed. `say` makes the message.
    template <class Say>
    void add_apart(RegressionKind kind, const std::vector<std::string_view>& names, Say say, auto where_of) {
        for (const bool allowed : {false, true}) {
            std::vector<std::string_view> part;
            for (const std::string_view name : names)
                if ((!options_.allowed_channels.empty() && is_bundle_allowed(name)) == allowed)
                    part.push_back(name);
            if (part.empty()) continue;
            std::string message = say(part);
            const Location where = where_of(part.front());
            add(kind, {}, std::move(message), std::move(part), where);
        }
    }

    // Whether somebody may have the version installed.
    bool counts(const GraphNode& node) const {
        if (!options_.installed) return true;
        return std::ranges::any_of(installed_, [&](const InstalledVersion* one) {
            return one->name.empty() ? one->version && node.version && *one->version == *node.version
                                     : one->name == node.name;
        });
    }

    // Whoever may follow a channel of the old catalog: the versions in it, and those that users name and it
    // no longer has.
    struct Follower {
        Installed before;
        Installed now;
        std::string_view name;
        std::optional<semver::VersionRelease> version;
    };
    std::vector<Follower> followers_of(const ChannelGraph& old) const {
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

    static bool has_path(const ShortestPaths& paths, const Installed& from) {
        return from.node != no_node ? paths.distance(from.node).has_value() : paths.path(from).has_value();
    }

    bool chains_only() const { return options_.olm != OlmGeneration::v1; }

    // Where a channel leads to. OLM v1 needs no order: without a single head, the highest version.
    NodeId goal_of(const PackageGraph& graph, const ChannelGraph& channel) const {
        if (chains_only()) {
            return channel.problem == ChainProblem::none && !channel.chain.empty() ? channel.head() : no_node;
        }
        if (channel.head() != no_node) return channel.head();
        NodeId highest = no_node;
        for (const GraphEntry& entry : channel.entries) {
            const GraphNode& node = graph.nodes[entry.node];
            if (node.is_virtual() || !node.version) continue;
            if (highest == no_node || *graph.nodes[highest].version < *node.version) highest = entry.node;
        }
        return highest;
    }

    static NodeId find(const PackageGraph& graph, std::string_view name) {
        const auto found = graph.node_by_name.find(name);
        return found == graph.node_by_name.end() ? no_node : found->second;
    }

    // The installed version of users of an old catalog's node, as the new catalog knows it.
    Installed in_new(const GraphNode& old) const {
        const NodeId id = find(after_, old.name);
        if (id == no_node) return {no_node, old.name, old.version};
        Installed installed = installed_node(after_, id);
        if (old.version) installed.version = old.version; // a virtual node's is only a guess
        return installed;
    }

    void check_default_channel() {
        const std::string_view old =
            before_.package ? before_.package->default_channel.text : std::string_view();
        const std::string_view now =
            after_.package ? after_.package->default_channel.text : std::string_view();
        if (old == now || !after_.package) return;
        add(RegressionKind::default_channel, {},
            fmt::format("the default channel was {} and is {}: those who name no channel get other versions",
                        old, now.empty() ? "none" : now),
            {}, after_.package->at(after_.package->default_channel));
        check_way_to_default(old, now);
    }

    // Those who follow the new default channel from the head of the old one.
    void check_way_to_default(std::string_view old, std::string_view now) {
        const ChannelGraph* const was = before_.find_channel(old);
        const ChannelGraph* const channel = after_.find_channel(now);
        if (!was || !channel || was->head() == no_node || channel->head() == no_node) return;
        const GraphNode& node = before_.nodes[was->head()];
        if (!counts(node)) return;
        const ShortestPaths to_head(after_, {{channel}, chains_only()}, channel->head());
        if (has_path(to_head, in_new(node))) return;
        add(RegressionKind::stranded, now,
            fmt::format("who has {}, the head of the old default channel {}, gets no upgrade in the new one",
                        node.name, old),
            {node.name}, channel->channel->at(channel->channel->name));
    }

    void check_removed() {
        // Two bundles are not catalogs.
        if (before_.channels.empty() && after_.channels.empty()) return;
        for (const ChannelGraph& channel : before_.channels) {
            const ChannelGraph* const now = after_.find_channel(channel.name);
            std::vector<std::string_view> installed;
            for (const GraphEntry& entry : channel.entries) {
                const GraphNode& node = before_.nodes[entry.node];
                if (!counts(node)) continue;
                if (!now || (!node.is_virtual() && is_bundle(after_, node.name) &&
                             !now->find(find(after_, node.name))))
                    installed.push_back(node.name);
            }
            if (now && !installed.empty()) {
                std::string message = fmt::format("{} {} no longer in channel {}, but still in the catalog",
                                                  listed(installed, most_named),
                                                  installed.size() == 1 ? "is" : "are", now->name);
                add(RegressionKind::removed, channel.name, std::move(message), std::move(installed),
                    now->channel->at(now->channel->name));
            } else if (!now && (!options_.installed || !installed.empty())) {
                add(RegressionKind::removed, channel.name,
                    fmt::format("channel {} is gone: subscriptions to it get no further upgrades",
                                channel.name),
                    std::move(installed), channel.channel->at(channel.channel->name));
            }
        }
        std::vector<std::string_view> gone;
        for (const GraphNode& node : before_.nodes)
            if (!node.is_virtual() && counts(node) && !is_bundle(after_, node.name))
                gone.push_back(node.name);
        add_apart(
            RegressionKind::removed, gone,
            [](const std::vector<std::string_view>& names) {
                return fmt::format("{} bundle{} gone and can no longer be installed: {}", names.size(),
                                   names.size() == 1 ? " is" : "s are", listed(names, most_named));
            },
            [&](std::string_view name) { return before_.nodes[find(before_, name)].where; });
    }

    static bool is_bundle(const PackageGraph& graph, std::string_view name) {
        const NodeId id = find(graph, name);
        return id != no_node && !graph.nodes[id].is_virtual();
    }

    void check_deprecated() {
        if (!before_.deprecation && after_.deprecation)
            add(RegressionKind::deprecated, {},
                fmt::format("the package is deprecated: {}", on_one_line(after_.deprecation->message)), {},
                after_.package ? after_.package->at(after_.package->name) : Location{});
        for (const ChannelGraph& channel : after_.channels) {
            const ChannelGraph* const old = before_.find_channel(channel.name);
            if (channel.deprecation && (!old || !old->deprecation))
                add(RegressionKind::deprecated, channel.name,
                    fmt::format("channel {} is deprecated: {}", channel.name,
                                on_one_line(channel.deprecation->message)),
                    {}, channel.channel->at(channel.channel->name));
        }
        std::vector<std::string_view> names;
        for (const GraphNode& node : after_.nodes) {
            const NodeId old = find(before_, node.name);
            if (!node.deprecation || (old != no_node && before_.nodes[old].deprecation)) continue;
            if (counts(node)) names.push_back(node.name);
        }
        add_apart(
            RegressionKind::deprecated, names,
            [](const std::vector<std::string_view>& part) {
                return fmt::format("newly deprecated: {}", listed(part, most_named));
            },
            [&](std::string_view name) { return after_.nodes[find(after_, name)].where; });
    }

    // Each version of the old channel has exactly one path in the new one.
    void check_channel(const ChannelGraph& old, const ChannelGraph& now) {
        const Location where = now.channel->at(now.channel->name);
        const std::vector<Follower> followers = followers_of(old);
        if (followers.empty()) return;
        if (chains_only() && now.problem != ChainProblem::none) {
            const RegressionKind kind = now.problem == ChainProblem::several_heads ? RegressionKind::ambiguous
                                                                                   : RegressionKind::stranded;
            std::vector<std::string_view> all;
            for (const Follower& follower : followers) all.push_back(follower.name);
            if (old.problem == ChainProblem::none)
                add(kind, now.name, fmt::format("channel {} is broken: {}", now.name, describe(now.problem)),
                    std::move(all), where);
            return;
        }
        const NodeId head = goal_of(after_, now);
        if (head == no_node) return;
        const ShortestPaths to_head(after_, {{&now}, chains_only()}, head);
        std::vector<std::string_view> stranded;
        const std::vector<bool> was_stranded = without_path(old, followers);
        std::map<NodeId, std::vector<std::string_view>> left_behind; // by the newest of a stream
        const std::map<std::pair<uint64_t, uint64_t>, NodeId> newest = newest_of_streams(now);
        std::map<NodeId, ShortestPaths> to_newest;
        for (size_t i = 0; i < followers.size(); ++i) {
            const Follower& follower = followers[i];
            if (!has_path(to_head, follower.now)) {
                if (!was_stranded[i]) stranded.push_back(follower.name);
                continue;
            }
            if (!follower.version || !follower.version->version.prerelease.empty()) continue;
            const auto stream =
                newest.find({follower.version->version.major, follower.version->version.minor});
            if (stream == newest.end() || stream->second == follower.now.node) continue;
            const GraphNode& goal = after_.nodes[stream->second];
            if (!(*follower.version < *goal.version)) continue;
            const auto paths =
                to_newest
                    .try_emplace(stream->second, after_, EdgeScope{{&now}, chains_only()}, stream->second)
                    .first;
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
        if (options_.olm != OlmGeneration::classic) check_ambiguous(now, followers);
        describe_upgrades(old, now, followers);
    }

    // Followers of the old channel that had no path to its head: not a regression.
    std::vector<bool> without_path(const ChannelGraph& old, const std::vector<Follower>& followers) const {
        std::vector<bool> without(followers.size());
        const NodeId goal = goal_of(before_, old);
        if (goal == no_node) return without;
        const ShortestPaths to_head(before_, {{&old}, chains_only()}, goal);
        for (size_t i = 0; i < followers.size(); ++i) without[i] = !has_path(to_head, followers[i].before);
        return without;
    }

    // Where automatic upgrades end in a channel, from each node of the package.
    std::vector<NodeId> ends_of(const PackageGraph& graph, const ChannelGraph& channel) const {
        const ChannelGraph* const channels[] = {&channel};
        const std::vector<NodeId> next = options_.olm == OlmGeneration::v1
                                             ? v1_next_steps(graph, channels)
                                             : classic_next_steps(graph, channel);
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

    void describe_upgrades(const ChannelGraph& old, const ChannelGraph& now,
                           const std::vector<Follower>& followers) {
        const std::vector<NodeId> old_ends = ends_of(before_, old);
        const std::vector<NodeId> ends = ends_of(after_, now);
        const ChannelGraph* const channels[] = {&now};
        std::map<NodeId, std::vector<std::string_view>> arriving;
        for (const Follower& follower : followers) {
            NodeId end = no_node;
            if (follower.now.node != no_node) {
                end = ends[follower.now.node];
            } else {
                work_.take_or_throw(10 * now.entries.size(),
                                    fmt::format("following channel {} of package {}", now.name, after_.name));
                const Walk walk = options_.olm == OlmGeneration::v1
                                      ? walk_v1(after_, channels, follower.now, 1)
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

    // The highest installable version of each MAJOR.MINOR.
    std::map<std::pair<uint64_t, uint64_t>, NodeId> newest_of_streams(const ChannelGraph& channel) const {
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

    // On a chain the entry nearest to the head decides for OLM classic, so this only concerns OLM v1: two
    // bundles of one version.
    void check_ambiguous(const ChannelGraph& now, const std::vector<Follower>& followers) {
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

    // A bundle skipped as bad in one channel and not in another, or no longer skipped.
    void check_skipped() {
        std::set<std::string_view> reported;
        for (const ChannelGraph& channel : after_.channels) {
            const ChannelGraph* const old = before_.find_channel(channel.name);
            for (size_t i = 0; i < channel.entries.size(); ++i) {
                const NodeId id = channel.entries[i].node;
                const GraphNode& node = after_.nodes[id];
                const bool was_skipped = old && old->is_skipped(find(before_, node.name));
                if (!channel.skipped[i]) {
                    if (was_skipped && reported.insert(node.name).second)
                        add(RegressionKind::skipped, channel.name,
                            fmt::format("{} was skipped in channel {} and can be newly installed again",
                                        node.name, channel.name),
                            {}, channel.channel->at(channel.entries[i].source->name));
                    continue;
                }
                if (was_skipped || find(before_, node.name) == no_node) continue;
                for (const ChannelGraph& other : after_.channels) {
                    const GraphEntry* const there = other.find(id);
                    if (!there || other.is_skipped(id) || !reported.insert(node.name).second) continue;
                    add(RegressionKind::skipped, other.name,
                        fmt::format("{} is now skipped in channel {} but can still be newly installed from "
                                    "channel {}",
                                    node.name, channel.name, other.name),
                        {}, other.channel->at(there->source->name));
                }
            }
        }
    }

    // The images that a bundle needs, itself left out.
    static std::set<std::string_view> needed_images(const Bundle& bundle) {
        std::set<std::string_view> images;
        for (const RelatedImage& related : bundle.related_images)
            if (related.image.text != bundle.image.text) images.insert(related.image);
        return images;
    }

    void check_rewritten() {
        for (const GraphNode& node : after_.nodes) {
            const NodeId old = find(before_, node.name);
            if (node.is_virtual() || old == no_node || before_.nodes[old].is_virtual() || !counts(node))
                continue;
            const Bundle& was = *before_.nodes[old].bundle;
            if (!was.image.empty() && was.image.text != node.bundle->image.text)
                add(RegressionKind::rewritten, {},
                    fmt::format("{} has another image: who has it installed does not get that", node.name),
                    {before_.nodes[old].name}, node.bundle->at(node.bundle->image));
            else if (needed_images(was) != needed_images(*node.bundle))
                add(RegressionKind::image_changed, {},
                    fmt::format("{} names other related images: mirrors of the old catalog lack them",
                                node.name),
                    {before_.nodes[old].name}, node.where);
        }
    }

    void check_apis() {
        for (EdgeRegression& edge : find_api_regressions(before_, after_)) {
            const GraphNode& from = (edge.from_before ? before_ : after_).nodes[edge.from];
            if (!counts(from)) continue;
            add(edge.kind, edge.channel, std::move(edge.message), {from.name}, after_.nodes[edge.to].where);
        }
    }

    const PackageGraph& before_;
    const PackageGraph& after_;
    const DiffOptions& options_;
    Work& work_;
    std::vector<Regression>& out_;
    std::vector<UpgradeChange>& upgrades_;
    std::vector<const InstalledVersion*> installed_; // of the package
};

} // namespace

bool matches_glob(std::string_view glob, std::string_view name) {
    size_t at = 0;
    size_t i = 0;
    size_t star = glob.npos; // the last one, which takes as much as needed
    size_t taken = 0;
    while (i < name.size()) {
        if (at < glob.size() && (glob[at] == '?' || glob[at] == name[i]) && glob[at] != '*') {
            ++at;
            ++i;
        } else if (at < glob.size() && glob[at] == '*') {
            star = at++;
            taken = i;
        } else if (star != glob.npos) {
            at = star + 1;
            i = ++taken;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', at) == glob.npos;
}

void find_regressions(const PackageGraph* before, const PackageGraph* after, const DiffOptions& options,
                      Work& work, CatalogDiff& out) {
    if (!before) return;
    const PackageGraph nothing{};
    RegressionSearch search(*before, after ? *after : nothing, options, work, out);
    if (after)
        search.run();
    else
        search.report_package_removed();
}

} // namespace opcat
