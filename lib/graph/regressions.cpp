#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/catalog_diff.hpp"
#include "opcat/olm/paths.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace opcat {
namespace {

constexpr size_t most_named = 4; // bundles in a sentence

class RegressionSearch {
public:
    RegressionSearch(const PackageGraph& before, const PackageGraph& after, Work& work,
                     std::vector<Regression>& out)
        : before_(before), after_(after), work_(work), out_(out) {}

    void run() {
        check_default_channel();
        check_removed();
        check_deprecated();
        for (const ChannelGraph& channel : before_.channels) {
            if (const ChannelGraph* const now = after_.find_channel(channel.name))
                check_channel(channel, *now);
        }
        check_skipped();
        check_rewritten();
        check_apis();
    }

private:
    void add(RegressionKind kind, std::string_view channel, std::string message,
             std::vector<std::string_view> installed, Location where) {
        out_.push_back({kind, after_.name, channel, std::move(message), std::move(installed), where});
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
        const Installed installed = in_new(node);
        const ShortestPaths to_head(after_, {{channel}, true}, channel->head());
        const bool has_path = installed.node != no_node ? to_head.distance(installed.node).has_value()
                                                        : to_head.path(installed).has_value();
        if (has_path) return;
        add(RegressionKind::stranded, now,
            fmt::format("who has {}, the head of the old default channel {}, gets no upgrade in the new one",
                        node.name, old),
            {node.name}, channel->channel->at(channel->channel->name));
    }

    void check_removed() {
        for (const ChannelGraph& channel : before_.channels) {
            if (after_.find_channel(channel.name)) continue;
            std::vector<std::string_view> installed;
            for (const GraphEntry& entry : channel.entries)
                installed.push_back(before_.nodes[entry.node].name);
            add(RegressionKind::removed, channel.name,
                fmt::format("channel {} is gone: subscriptions to it get no further upgrades", channel.name),
                std::move(installed), channel.channel->at(channel.channel->name));
        }
        std::vector<std::string_view> gone;
        Location where;
        for (const GraphNode& node : before_.nodes) {
            if (node.is_virtual()) continue;
            const NodeId now = find(after_, node.name);
            if (now != no_node && !after_.nodes[now].is_virtual()) continue;
            if (gone.empty()) where = node.where;
            gone.push_back(node.name);
        }
        if (gone.empty()) return;
        std::string message = fmt::format("{} bundle{} gone and can no longer be installed: {}", gone.size(),
                                          gone.size() == 1 ? " is" : "s are", listed(gone, most_named));
        add(RegressionKind::removed, {}, std::move(message), std::move(gone), where);
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
        Location where;
        for (const GraphNode& node : after_.nodes) {
            const NodeId old = find(before_, node.name);
            if (!node.deprecation || (old != no_node && before_.nodes[old].deprecation)) continue;
            if (names.empty()) where = node.where;
            names.push_back(node.name);
        }
        if (names.empty()) return;
        std::string message = fmt::format("newly deprecated: {}", listed(names, most_named));
        add(RegressionKind::deprecated, {}, std::move(message), std::move(names), where);
    }

    // Each version of the old channel has exactly one path in the new one.
    void check_channel(const ChannelGraph& old, const ChannelGraph& now) {
        const Location where = now.channel->at(now.channel->name);
        std::vector<std::string_view> all;
        for (const GraphEntry& entry : old.entries) all.push_back(before_.nodes[entry.node].name);
        if (now.problem != ChainProblem::none) {
            const RegressionKind kind = now.problem == ChainProblem::several_heads ? RegressionKind::ambiguous
                                                                                   : RegressionKind::stranded;
            if (old.problem == ChainProblem::none)
                add(kind, now.name, fmt::format("channel {} is broken: {}", now.name, describe(now.problem)),
                    std::move(all), where);
            return;
        }
        if (now.chain.empty()) return;
        const NodeId head = now.head();
        const ShortestPaths to_head(after_, {{&now}, true}, head);
        std::vector<std::string_view> stranded;
        const std::vector<bool> was_stranded = without_path(old);
        std::map<NodeId, std::vector<std::string_view>> left_behind; // by the newest of a stream
        const std::map<std::pair<uint64_t, uint64_t>, NodeId> newest = newest_of_streams(now);
        std::map<NodeId, ShortestPaths> to_newest;
        for (size_t i = 0; i < old.entries.size(); ++i) {
            const GraphNode& node = before_.nodes[old.entries[i].node];
            const Installed installed = in_new(node);
            const bool has_path = installed.node != no_node ? to_head.distance(installed.node).has_value()
                                                            : to_head.path(installed).has_value();
            if (!has_path) {
                if (!was_stranded[i]) stranded.push_back(node.name);
                continue;
            }
            if (!node.version || !node.version->version.prerelease.empty()) continue;
            const auto stream = newest.find({node.version->version.major, node.version->version.minor});
            if (stream == newest.end() || stream->second == installed.node) continue;
            const GraphNode& goal = after_.nodes[stream->second];
            if (!(*node.version < *goal.version)) continue;
            const auto paths =
                to_newest.try_emplace(stream->second, after_, EdgeScope{{&now}, true}, stream->second).first;
            if (installed.node != no_node ? !paths->second.distance(installed.node)
                                          : !paths->second.path(installed))
                left_behind[stream->second].push_back(node.name);
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
        check_ambiguous(old, now);
    }

    // Entries of the old channel that had no path to its head: not a regression.
    std::vector<bool> without_path(const ChannelGraph& old) const {
        std::vector<bool> without(old.entries.size());
        if (old.problem != ChainProblem::none || old.chain.empty()) return without;
        const ShortestPaths to_head(before_, {{&old}, true}, old.head());
        for (size_t i = 0; i < old.entries.size(); ++i) without[i] = !to_head.distance(old.entries[i].node);
        return without;
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
    void check_ambiguous(const ChannelGraph& old, const ChannelGraph& now) {
        bool any = false;
        for (size_t i = 0; i + 1 < after_.by_version.size(); ++i) {
            const GraphNode& a = after_.nodes[after_.by_version[i]];
            const GraphNode& b = after_.nodes[after_.by_version[i + 1]];
            if (!a.is_virtual() && !b.is_virtual() && *a.version == *b.version) any = true;
        }
        if (!any) return;
        work_.take_or_throw(10 * old.entries.size() * after_.bundles.size(),
                            fmt::format("comparing channel {} of package {}, in which bundles have equal "
                                        "versions,",
                                        now.name, after_.name));
        std::vector<std::string_view> affected;
        const ChannelGraph* const channels[] = {&now};
        for (const GraphEntry& entry : old.entries) {
            const GraphNode& node = before_.nodes[entry.node];
            if (v1_successors(after_, channels, in_new(node)).ambiguous) affected.push_back(node.name);
        }
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

    void check_rewritten() {
        for (const GraphNode& node : after_.nodes) {
            const NodeId old = find(before_, node.name);
            if (node.is_virtual() || old == no_node || before_.nodes[old].is_virtual()) continue;
            const std::string_view was = before_.nodes[old].bundle->image;
            if (was.empty() || was == node.bundle->image.text) continue;
            add(RegressionKind::rewritten, {},
                fmt::format("{} has another image: who has it installed does not get that", node.name),
                {before_.nodes[old].name}, node.bundle->at(node.bundle->image));
        }
    }

    // "Foo example.com/v1" of all APIs that a bundle provides.
    static std::set<std::string> apis_of(const Bundle& bundle) {
        std::set<std::string> apis;
        for (const Property& property : bundle.properties) {
            if (property.type != property_type::gvk || !property.value || !property.value->is_object())
                continue;
            const auto text = [&](std::string_view key) {
                const Value* const found = property.value->find(key);
                return found ? found->string_or_empty() : std::string_view();
            };
            apis.insert(fmt::format("{} {}/{}", text("kind"), text("group"), text("version")));
        }
        return apis;
    }

    // Edges that the old catalog had are not this change's.
    bool had_edge(std::string_view from, std::string_view to) const {
        const NodeId old_from = find(before_, from);
        const NodeId old_to = find(before_, to);
        if (old_from == no_node || old_to == no_node) return false;
        return std::ranges::any_of(before_.entries_of(old_to),
                                   [&](const NodeEntry& entry) { return entry.entry->replaces == old_from; });
    }

    void check_apis() {
        std::set<std::pair<NodeId, NodeId>> seen;
        for (const ChannelGraph& channel : after_.channels)
            for (const GraphEntry& entry : channel.entries) {
                if (entry.replaces == no_node || !seen.emplace(entry.replaces, entry.node).second) continue;
                const GraphNode& from = after_.nodes[entry.replaces];
                const GraphNode& to = after_.nodes[entry.node];
                if (from.is_virtual() || to.is_virtual() || had_edge(from.name, to.name)) continue;
                const std::set<std::string> now = apis_of(*to.bundle);
                std::vector<std::string> gone;
                for (const std::string& api : apis_of(*from.bundle))
                    if (!now.contains(api)) gone.push_back(api);
                if (gone.empty()) continue;
                add(RegressionKind::api_removed, channel.name,
                    fmt::format("{} lacks {}, which {} provides", to.name, listed(gone, most_named),
                                from.name),
                    {from.name}, to.where);
            }
    }

    const PackageGraph& before_;
    const PackageGraph& after_;
    Work& work_;
    std::vector<Regression>& out_;
};

} // namespace

void find_regressions(const PackageGraph* before, const PackageGraph* after, Work& work,
                      std::vector<Regression>& out) {
    if (!before) return;
    if (after) {
        RegressionSearch(*before, *after, work, out).run();
        return;
    }
    std::vector<std::string_view> installed;
    for (const GraphNode& node : before->nodes)
        if (!node.is_virtual()) installed.push_back(node.name);
    out.push_back({RegressionKind::removed,
                   before->name,
                   {},
                   fmt::format("package {} is gone", before->name),
                   std::move(installed),
                   before->package ? before->package->at(before->package->name) : Location{}});
}

} // namespace opcat
