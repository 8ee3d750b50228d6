#include "opcat/graph/graph_view.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace opcat {
namespace {

// The ranks of a channel's entries, ascending.
std::vector<uint32_t> ranks_of(const PackageGraph& package, const ChannelGraph& channel) {
    std::vector<uint32_t> ranks;
    for (const GraphEntry& entry : channel.entries)
        if (package.nodes[entry.node].version) ranks.push_back(package.nodes[entry.node].rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

template <typename Use>
void for_each_covered(const PackageGraph& package, const GraphEntry& entry,
                      const std::vector<uint32_t>& ranks, Use use) {
    if (entry.skip_range == no_range) return;
    for (const RankInterval& interval : package.skip_ranges[entry.skip_range].covers) {
        const auto begin = std::lower_bound(ranks.begin(), ranks.end(), interval.begin);
        use(begin, std::lower_bound(begin, ranks.end(), interval.end));
    }
}

// The rank of the newest version of a channel, from 1; 0: no version can be read.
size_t newest_of(const PackageGraph& package, const ChannelGraph& channel) {
    size_t newest = 0;
    for (const GraphEntry& entry : channel.entries)
        if (package.nodes[entry.node].version)
            newest = std::max(newest, size_t{package.nodes[entry.node].rank} + 1);
    return newest;
}

// Digits at the beginning, without zeros before them; removes them from `text`.
std::string_view take_number(std::string_view& text) {
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

// Letters in their order, numbers from the greatest: "fast-2.10", "fast-2.9", "stable".
bool names_newer(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view one = take_number(a);
            const std::string_view other = take_number(b);
            if (one != other) return std::pair(one.size(), one) > std::pair(other.size(), other);
        } else {
            if (a.front() != b.front()) return a.front() < b.front();
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.size() < b.size();
}

} // namespace

std::vector<const ChannelGraph*> newest_first(const PackageGraph& package,
                                              std::vector<const ChannelGraph*> channels) {
    std::vector<std::pair<size_t, const ChannelGraph*>> ranked;
    ranked.reserve(channels.size());
    for (const ChannelGraph* const channel : channels)
        ranked.emplace_back(newest_of(package, *channel), channel);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first > b.first;
        return names_newer(a.second->name, b.second->name);
    });
    std::transform(ranked.begin(), ranked.end(), channels.begin(),
                   [](const auto& one) { return one.second; });
    return channels;
}

std::optional<OlmGeneration> olm_generation_named(std::string_view name) {
    for (const OlmGeneration olm : {OlmGeneration::classic, OlmGeneration::v1})
        if (to_string(olm) == name) return olm;
    return std::nullopt;
}

GraphView select(const UpgradeGraph& graph, std::string_view package, std::string_view channel) {
    GraphView view;
    std::vector<std::string_view> packages;
    std::set<std::string_view> channels;
    for (const PackageGraph& one : graph.packages) {
        packages.push_back(one.name);
        if (!package.empty() && one.name != package) continue;
        PackageView selected{&one, {}};
        for (const ChannelGraph& some : one.channels) {
            channels.insert(some.name);
            if (channel.empty() || some.name == channel) selected.channels.push_back(&some);
        }
        if (channel.empty() || !selected.channels.empty()) view.push_back(std::move(selected));
    }
    if (!package.empty() && !std::binary_search(packages.begin(), packages.end(), package))
        throw RequestError(fmt::format("there is no package \"{}\"", package),
                           did_you_mean(package, packages));
    if (!channel.empty() && view.empty()) {
        const std::vector<std::string_view> names(channels.begin(), channels.end());
        const std::string near = did_you_mean(channel, names);
        throw RequestError(package.empty()
                               ? fmt::format("no package has a channel \"{}\"", channel)
                               : fmt::format("package \"{}\" has no channel \"{}\"", package, channel),
                           !near.empty()        ? near
                           : names.size() <= 12 ? fmt::format("there are {}", fmt::join(names, ", "))
                                                : std::string());
    }
    return view;
}

void add_lifecycles(GraphView& view, const Catalog& catalog) {
    std::unordered_map<std::string_view, PackageView*> by_name;
    for (PackageView& package : view) by_name.emplace(package.package->name, &package);
    for (const OtherBlob& blob : catalog.others) {
        if (blob.schema != schema::lifecycles) continue;
        const auto found = by_name.find(blob.package);
        if (found != by_name.end() && !found->second->lifecycle)
            found->second->lifecycle = read_lifecycle(blob);
    }
}

std::string support_end(const PackageView& view, const GraphNode& node) {
    if (!view.lifecycle || !node.version) return {};
    const semver::Version& version = node.version->version;
    const LifecycleVersion* const lifecycle = view.lifecycle->find(version.major, version.minor);
    return lifecycle && lifecycle->last_day ? date_text(*lifecycle->last_day) : std::string();
}

size_t count_edges(const GraphView& view) {
    size_t count = 0;
    for (const PackageView& package : view)
        for (const ChannelGraph* channel : package.channels) {
            const auto ranks = ranks_of(*package.package, *channel);
            for (const GraphEntry& entry : channel->entries) {
                count += entry.skip_count + (entry.replaces != no_node ? 1 : 0);
                for_each_covered(*package.package, entry, ranks,
                                 [&](auto begin, auto end) { count += static_cast<size_t>(end - begin); });
            }
        }
    return count;
}

std::vector<Edge> edges_of(const PackageGraph& package, const ChannelGraph& channel) {
    std::vector<Edge> edges;
    const auto ranks = ranks_of(package, channel);
    for (const GraphEntry& entry : channel.entries) {
        if (entry.replaces != no_node)
            edges.push_back({entry.replaces, entry.node, {EdgeKind::replaces, &channel, &entry}});
        const auto skips = package.skips_of(entry);
        for (uint32_t i = 0; i < skips.size(); ++i)
            edges.push_back({skips[i], entry.node, {EdgeKind::skips, &channel, &entry, i}});
        for_each_covered(package, entry, ranks, [&](auto begin, auto end) {
            for (; begin != end; ++begin)
                edges.push_back(
                    {package.by_version[*begin], entry.node, {EdgeKind::skip_range, &channel, &entry}});
        });
    }
    return edges;
}

} // namespace opcat
