#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/graph/regression_search.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/olm/next_steps.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <fmt/format.h>

#include <tuple>

namespace opcat {

void RegressionSearch::run() {
    if (options_.installed && installed_.empty()) return;
    check_default_channel();
    check_removed();
    check_left_alone();
    check_deprecated();
    for (const ChannelGraph& channel : before_.channels) {
        if (const ChannelGraph* const now = after_.find_channel(channel.name)) check_channel(channel, *now);
    }
    if (options_.olm != OlmGeneration::classic) check_without_channels();
    if (!options_.installed) check_skipped();
    check_rewritten();
    check_apis();
}

void RegressionSearch::report_package_removed() {
    std::vector<std::string_view> installed;
    for (const GraphNode& node : before_.nodes)
        if ((options_.installed || !node.is_virtual()) && counts(node)) installed.push_back(node.name);
    if (options_.installed && installed.empty()) return;
    const bool allowed =
        !before_.channels.empty() &&
        std::ranges::all_of(before_.channels, [&](const auto& channel) { return is_allowed(channel.name); });
    out_.push_back({RegressionKind::package_removed,
                    before_.name,
                    {},
                    fmt::format("package {} is gone", before_.name),
                    std::move(installed),
                    before_.package ? before_.package->at(before_.package->name) : Location{},
                    allowed});
}

bool RegressionSearch::is_allowed(std::string_view channel) const {
    return std::ranges::any_of(options_.allowed_channels,
                               [&](const std::string& glob) { return matches_glob(glob, channel); });
}

bool RegressionSearch::is_bundle_allowed(std::string_view name) const {
    size_t channels = 0;
    for (const PackageGraph* graph : {&before_, &after_})
        if (const NodeId id = find(*graph, name); id != no_node)
            for (const NodeEntry& entry : graph->entries_of(id)) {
                if (!is_allowed(entry.channel->name)) return false;
                ++channels;
            }
    return channels > 0;
}

void RegressionSearch::add(RegressionKind kind, std::string_view channel, std::string message,
                           std::vector<std::string_view> installed, Location where) {
    const bool allowed =
        !channel.empty() ? is_allowed(channel)
                         : !installed.empty() && std::ranges::all_of(installed, [&](std::string_view name) {
                               return is_bundle_allowed(name);
                           });
    out_.push_back({kind, after_.name, channel, std::move(message), std::move(installed), where, allowed});
}

bool RegressionSearch::counts(const GraphNode& node) const {
    if (!options_.installed) return true;
    return installed_names_.contains(node.name) ||
           (node.version && installed_versions_.contains(*node.version));
}

Installed RegressionSearch::in_new(const GraphNode& old) const {
    const NodeId id = find(after_, old.name);
    if (id == no_node) return {no_node, old.name, old.version};
    Installed installed = installed_node(after_, id);
    if (old.version) installed.version = old.version; // a virtual node's is only a guess
    return installed;
}

void RegressionSearch::check_default_channel() {
    const std::string_view old = before_.package ? before_.package->default_channel.text : std::string_view();
    const std::string_view now = after_.package ? after_.package->default_channel.text : std::string_view();
    if (old == now || !after_.package) return;
    add(RegressionKind::default_channel, {},
        fmt::format("the default channel was {} and is {}: those who name no channel get other versions", old,
                    now.empty() ? "none" : now),
        {}, after_.package->at(after_.package->default_channel));
    check_way_to_default(old, now);
}

void RegressionSearch::check_way_to_default(std::string_view old, std::string_view now) {
    const ChannelGraph* const was = before_.find_channel(old);
    const ChannelGraph* const channel = after_.find_channel(now);
    if (!was || !channel || was->head() == no_node || channel->head() == no_node) return;
    const GraphNode& node = before_.nodes[was->head()];
    if (!counts(node)) return;
    const ShortestPaths to_head(after_, {{channel}, chains_only()}, channel->head());
    if (has_path(to_head, in_new(node))) return;
    add(RegressionKind::stranded, now,
        fmt::format("users of {}, the head of the old default channel {}, get no upgrade in the new one",
                    node.name, old),
        {node.name}, channel->channel->at(channel->channel->name));
}

void RegressionSearch::check_removed() {
    // Two bundles are not catalogs.
    if (before_.channels.empty() && after_.channels.empty()) return;
    for (const ChannelGraph& channel : before_.channels) {
        const ChannelGraph* const now = after_.find_channel(channel.name);
        std::vector<std::string_view> installed;
        for (const GraphEntry& entry : channel.entries) {
            const GraphNode& node = before_.nodes[entry.node];
            if (!counts(node)) continue;
            if (!now ||
                (!node.is_virtual() && is_bundle(after_, node.name) && !now->find(find(after_, node.name))))
                installed.push_back(node.name);
        }
        if (now && !installed.empty()) {
            std::string message =
                fmt::format("{} {} no longer in channel {}, but still in the catalog",
                            listed(installed, most_named), installed.size() == 1 ? "is" : "are", now->name);
            add(RegressionKind::removed, channel.name, std::move(message), std::move(installed),
                now->channel->at(now->channel->name));
        } else if (!now && (!options_.installed || !installed.empty())) {
            add(RegressionKind::removed, channel.name,
                fmt::format("channel {} is gone: subscriptions to it get no further upgrades", channel.name),
                std::move(installed), channel.channel->at(channel.channel->name));
        }
    }
    std::vector<std::string_view> gone;
    for (const GraphNode& node : before_.nodes)
        if (!node.is_virtual() && counts(node) && !is_bundle(after_, node.name)) gone.push_back(node.name);
    add_apart(
        RegressionKind::removed, gone,
        [](const std::vector<std::string_view>& names) {
            return fmt::format("{} bundle{} gone and can no longer be installed: {}", names.size(),
                               names.size() == 1 ? " is" : "s are", listed(names, most_named));
        },
        [&](std::string_view name) { return before_.nodes[find(before_, name)].where; });
}

void RegressionSearch::check_left_alone() {
    if (after_.channels.empty()) return; // a bundle is not a catalog
    std::set<std::string_view> checked;  // by check_channel, or here
    std::vector<const ChannelGraph*> gone;
    for (const ChannelGraph& channel : before_.channels) {
        if (!after_.find_channel(channel.name)) {
            gone.push_back(&channel);
            continue;
        }
        for (const GraphEntry& entry : channel.entries) checked.insert(before_.nodes[entry.node].name);
    }
    if (gone.empty()) return;
    const Leading before = leading_of(before_);
    const Leading after = leading_of(after_);
    for (const ChannelGraph* channel : gone) {
        std::vector<std::string_view> stranded;
        for (const Follower& follower : followers_of(*channel))
            if (leads_on(before, follower.before) && !leads_on(after, follower.now) &&
                checked.insert(follower.name).second)
                stranded.push_back(follower.name);
        if (stranded.empty()) continue;
        std::string message = fmt::format("users of {} get no upgrade in the channels that are left",
                                          listed(stranded, most_named));
        add(RegressionKind::stranded, channel->name, std::move(message), std::move(stranded),
            channel->channel->at(channel->channel->name));
    }
}

RegressionSearch::Leading RegressionSearch::leading_of(const PackageGraph& graph) const {
    Leading leading{graph, {}, {}, {}};
    std::vector<const ChannelGraph*> channels;
    for (const ChannelGraph& channel : graph.channels) {
        channels.push_back(&channel);
        if (const NodeId head = goal_of(graph, channel, chains_only()); head != no_node)
            leading.heads.insert(head);
        for (const GraphEntry& entry : channel.entries)
            if (!entry.source->skip_range.empty()) leading.ranges.emplace_back(&channel, &entry);
    }
    leading.next = v1_next_steps(graph, channels);
    return leading;
}

bool RegressionSearch::leads_on(const Leading& leading, const Installed& user) const {
    if (user.node != no_node) return leading.next[user.node] != no_node || leading.heads.contains(user.node);
    // No entry names it.
    work_.take_or_throw(10 * leading.ranges.size(),
                        fmt::format("looking for upgrades in package {}", leading.graph.name));
    return std::ranges::any_of(leading.ranges, [&](const auto& range) {
        return !edges_from(leading.graph, *range.first, *range.second, user).empty();
    });
}

void RegressionSearch::check_deprecated() {
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

void RegressionSearch::check_skipped() {
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

std::set<std::string_view> RegressionSearch::needed_images(const Bundle& bundle) {
    std::set<std::string_view> images;
    for (const RelatedImage& related : bundle.related_images)
        if (related.image.text != bundle.image.text) images.insert(related.image);
    return images;
}

namespace {

using Api = std::tuple<std::string_view, std::string_view, std::string_view>; // group, version and kind

std::vector<Api> declared_apis(const Bundle& bundle) {
    std::vector<Api> apis;
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::gvk || !property.value || !property.value->is_object()) continue;
        const kube::Fields api(*property.value);
        apis.emplace_back(api.text("group"), api.text("version"), api.text("kind"));
    }
    std::ranges::sort(apis);
    return apis;
}

} // namespace

// Of a bundle that keeps its name: who requires the API finds it there no longer.
void RegressionSearch::check_lost_apis(const GraphNode& node, const Bundle& was) {
    const std::vector<Api> before = declared_apis(was);
    const std::vector<Api> now = declared_apis(*node.bundle);
    if (before == now) return;
    std::vector<std::string> gone;
    for (const Api& api : before)
        if (!std::ranges::binary_search(now, api))
            gone.push_back(fmt::format("{} {}/{}", std::get<2>(api), std::get<0>(api), std::get<1>(api)));
    if (gone.empty()) return;
    add(RegressionKind::api_removed, {},
        fmt::format("{} no longer provides {}", node.name, listed(gone, most_named)), {was.name}, node.where);
}

void RegressionSearch::check_rewritten() {
    for (const GraphNode& node : after_.nodes) {
        const NodeId old = find(before_, node.name);
        if (node.is_virtual() || old == no_node || before_.nodes[old].is_virtual() || !counts(node)) continue;
        const Bundle& was = *before_.nodes[old].bundle;
        if (before_.nodes[old].version && node.version && !(*before_.nodes[old].version == *node.version))
            add(RegressionKind::rewritten, {},
                fmt::format(
                    "{} is version {} and was {}: users who have it installed keep the old version, by which "
                    "OLM v1 looks for upgrades",
                    node.name, node.version_text, before_.nodes[old].version_text),
                {before_.nodes[old].name}, node.where);
        check_lost_apis(node, was);
        if (!was.image.empty() && was.image.text != node.bundle->image.text)
            add(RegressionKind::rewritten, {},
                fmt::format("{} has another image: users who have it installed do not get that one",
                            node.name),
                {before_.nodes[old].name}, node.bundle->at(node.bundle->image));
        else if (needed_images(was) != needed_images(*node.bundle))
            add(RegressionKind::image_changed, {},
                fmt::format("{} names other related images: mirrors of the old catalog lack them", node.name),
                {before_.nodes[old].name}, node.where);
    }
}

void RegressionSearch::check_apis() {
    for (EdgeRegression& edge : find_api_regressions(before_, after_)) {
        const GraphNode& from = (edge.from_before ? before_ : after_).nodes[edge.from];
        if (!counts(from)) continue;
        add(edge.kind, edge.channel, std::move(edge.message), {from.name}, after_.nodes[edge.to].where);
    }
}

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
