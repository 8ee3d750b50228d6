#include "opcat/olm/package_graph.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/olm/classic_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace opcat {
namespace {

struct PackageProperty {
    std::string_view version;
    std::optional<std::string_view> release;
};

Result<PackageProperty, std::string> read(const Value& value) {
    if (std::string error = go::decode_error(value, go::type_named("property.Package"), go::Route::map);
        !error.empty())
        return error;
    PackageProperty property{field_text(value, "version"), std::nullopt};
    if (const Value* const release = find_pointer_field(value, "release"))
        property.release = release->string();
    return property;
}

const Property* first_package_property(const Bundle& bundle) {
    const auto found = std::find_if(bundle.properties.begin(), bundle.properties.end(),
                                    [](const Property& p) { return p.type == property_type::package; });
    return found == bundle.properties.end() ? nullptr : &*found;
}

using semver::Version;
using semver::VersionRelease;

class Builder {
public:
    explicit Builder(const PackageIndex& index) : index_(index) {}

    PackageGraph build() {
        graph_.name = index_.name;
        if (!index_.packages.empty()) graph_.package = index_.packages.front();
        graph_.node_by_name.reserve(index_.bundles.size() * 2);
        graph_.nodes.reserve(index_.bundles.size());
        range_by_text_.reserve(index_.bundles.size());
        graph_.bundles.reserve(index_.bundles.size());
        for (const Bundle* bundle : index_.bundles) add_bundle(*bundle);
        graph_.channels.reserve(index_.channels.size());
        for (const Channel* channel : index_.channels) add_channel(*channel);
        sort_channels();
        list_entries_of_nodes();
        note_deprecations();
        sort_by_version();
        for (SkipRange& range : graph_.skip_ranges) find_covered(range);
        for (ChannelGraph& channel : graph_.channels) find_chain(channel);
        return std::move(graph_);
    }

private:
    void add_bundle(const Bundle& bundle) {
        const auto id = static_cast<NodeId>(graph_.nodes.size());
        const auto [found, is_new] = graph_.node_by_name.try_emplace(bundle.name, id);
        PackageBundle& added = graph_.bundles.emplace_back();
        added.bundle = &bundle;
        added.node = found->second;
        added.refused_by_v1 = dependency_refused_by_v1(bundle);
        added.legacy = version_of(bundle, false);
        if (has_release_field(bundle)) added.with_release = version_of(bundle, true);
        if (bundle.is_unknown)
            if (auto version = VersionRelease::parse_legacy(version_in_name(bundle.name)))
                added.legacy = *std::move(version);
        if (!is_new) return;
        GraphNode node;
        node.name = bundle.name;
        node.bundle = &bundle;
        node.where = bundle.at(bundle.name);
        node.is_prohibited = std::ranges::any_of(bundle.properties, [](const Property& property) {
            return property.type == property_type::deprecated;
        });
        if (bundle.is_unknown && added.legacy) node.version_text = version_in_name(bundle.name);
        if (const auto property = package_property(bundle)) node.version_text = property->version;
        if (const BundleVersion& version = added.version(true)) node.version = *version;
        graph_.nodes.push_back(std::move(node));
    }

    NodeId node(const Text& name, const Channel& channel) {
        const auto id = static_cast<NodeId>(graph_.nodes.size());
        const auto [found, is_new] = graph_.node_by_name.try_emplace(name, id);
        if (is_new) {
            GraphNode node;
            node.name = name;
            node.where = channel.at(name);
            if (auto version = VersionRelease::parse_legacy(version_in_name(name))) {
                node.version = *std::move(version);
                node.version_text = version_in_name(name);
            }
            graph_.nodes.push_back(std::move(node));
        }
        return found->second;
    }

    uint32_t range(std::string_view text) {
        const auto id = static_cast<uint32_t>(graph_.skip_ranges.size());
        const auto [found, is_new] = range_by_text_.try_emplace(text, id);
        if (is_new) {
            SkipRange& range = graph_.skip_ranges.emplace_back();
            range.text = text;
            if (auto parsed = semver::BlangRange::parse(text)) range.range = *std::move(parsed);
        }
        return found->second;
    }

    void add_channel(const Channel& channel) {
        ChannelGraph& out = graph_.channels.emplace_back();
        out.channel = &channel;
        out.name = channel.name;
        out.is_default = graph_.package && graph_.package->default_channel == channel.name.text;
        out.entries.reserve(channel.entries.size());
        for (const ChannelEntry& source : channel.entries) {
            GraphEntry entry;
            entry.source = &source;
            entry.node = node(source.name, channel);
            if (!source.replaces.empty()) entry.replaces = node(source.replaces, channel);
            if (!source.skip_range.empty()) entry.skip_range = range(source.skip_range);
            entry.first_skip = static_cast<uint32_t>(graph_.skips.size());
            entry.skip_count = static_cast<uint32_t>(source.skips.size());
            for (const Text& skip : source.skips) graph_.skips.push_back(node(skip, channel));
            out.entries.push_back(entry);
        }
        out.by_node.resize(out.entries.size());
        for (uint32_t i = 0; i < out.by_node.size(); ++i) out.by_node[i] = i;
        std::stable_sort(out.by_node.begin(), out.by_node.end(),
                         [&](uint32_t a, uint32_t b) { return out.entries[a].node < out.entries[b].node; });
    }

    void sort_channels() {
        std::vector<uint32_t> order(graph_.channels.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return graph_.channels[a].name < graph_.channels[b].name;
        });
        std::vector<ChannelGraph> sorted;
        sorted.reserve(order.size());
        in_catalog_order_.resize(order.size());
        for (const uint32_t place : order) {
            in_catalog_order_[place] = static_cast<uint32_t>(sorted.size());
            sorted.push_back(std::move(graph_.channels[place]));
        }
        graph_.channels = std::move(sorted);
    }

    void list_entries_of_nodes() {
        std::vector<uint32_t>& first = graph_.first_node_entry;
        first.assign(graph_.nodes.size() + 1, 0);
        for (const ChannelGraph& channel : graph_.channels)
            for (const GraphEntry& entry : channel.entries) ++first[entry.node + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        graph_.node_entries.resize(first.back());
        std::vector<uint32_t> next = first;
        for (const uint32_t place : in_catalog_order_)
            for (const GraphEntry& entry : graph_.channels[place].entries)
                graph_.node_entries[next[entry.node]++] = {&graph_.channels[place], &entry};
    }

    // OLM v1 only reads the first blob of a package, and so do we: there must be no others.
    void note_deprecations() {
        if (index_.deprecations.empty()) return;
        graph_.deprecations = index_.deprecations.front();
        for (const DeprecationEntry& entry : graph_.deprecations->entries) {
            if (entry.schema == schema::package) {
                graph_.deprecation = &entry;
            } else if (entry.schema == schema::channel) {
                for (auto channel =
                         std::ranges::lower_bound(graph_.channels, entry.name.text, {}, &ChannelGraph::name);
                     channel != graph_.channels.end() && channel->name == entry.name.text; ++channel)
                    channel->deprecation = &entry;
            } else if (entry.schema == schema::bundle) {
                const auto found = graph_.node_by_name.find(entry.name);
                if (found != graph_.node_by_name.end()) graph_.nodes[found->second].deprecation = &entry;
            }
        }
        for (PackageBundle& bundle : graph_.bundles)
            bundle.deprecated = graph_.nodes[bundle.node].deprecation != nullptr;
    }

    void sort_by_version() {
        for (NodeId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].version) graph_.by_version.push_back(id);
        std::stable_sort(graph_.by_version.begin(), graph_.by_version.end(), [&](NodeId a, NodeId b) {
            return *graph_.nodes[a].version < *graph_.nodes[b].version;
        });
        for (uint32_t rank = 0; rank < graph_.by_version.size(); ++rank)
            graph_.nodes[graph_.by_version[rank]].rank = rank;
    }

    const Version& version_at(size_t rank) const {
        return graph_.nodes[graph_.by_version[rank]].version->version;
    }

    void find_covered(SkipRange& range) const {
        if (range.range)
            range.covers = range.range->ranks_in(
                graph_.by_version.size(), [&](size_t rank) -> const Version& { return version_at(rank); });
    }

    void find_chain(ChannelGraph& channel) const {
        const std::vector<GraphEntry>& entries = channel.entries;
        // By the nodes of the channel alone: many small channels of a large package are none of its size
        // each.
        std::vector<NodeId> numbers;
        for (const GraphEntry& entry : entries) {
            numbers.push_back(entry.node);
            if (entry.replaces != no_node) numbers.push_back(entry.replaces);
            const auto skips = graph_.skips_of(entry);
            numbers.insert(numbers.end(), skips.begin(), skips.end());
        }
        std::ranges::sort(numbers);
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        const auto number_of = [&](NodeId node) {
            return static_cast<NodeId>(std::ranges::lower_bound(numbers, node) - numbers.begin());
        };
        std::vector<GraphEntry> own = entries;
        std::vector<NodeId> skips;
        for (GraphEntry& entry : own) {
            const auto skipped = graph_.skips_of(entry);
            entry.first_skip = static_cast<uint32_t>(skips.size());
            for (const NodeId skip : skipped) skips.push_back(number_of(skip));
            entry.node = number_of(entry.node);
            if (entry.replaces != no_node) entry.replaces = number_of(entry.replaces);
        }
        const ChannelOrder order(own, skips, numbers.size(), ChannelOrder::Namesakes::all);
        channel.heads = order.heads();
        channel.skipped.resize(entries.size());
        channel.in_heads.resize(entries.size());
        channel.in_chain.resize(entries.size());
        for (const uint32_t place : channel.heads) channel.in_heads[place] = true;
        for (size_t i = 0; i < entries.size(); ++i) channel.skipped[i] = order.is_skipped(own[i].node);
        if (channel.heads.size() != 1)
            channel.problem = channel.heads.empty() ? ChainProblem::no_head : ChainProblem::several_heads;
        if (channel.heads.empty()) return;
        ChannelOrder::Chain chain = order.chain_from(channel.heads.front());
        if (chain.is_cycle) channel.problem = ChainProblem::cycle;
        channel.chain = std::move(chain.places);
        for (const uint32_t place : channel.chain) channel.in_chain[place] = true;
    }

    const PackageIndex& index_;
    PackageGraph graph_;
    std::unordered_map<std::string_view, uint32_t> range_by_text_;
    std::vector<uint32_t> in_catalog_order_; // places in graph_.channels
};

} // namespace

const Property* dependency_refused_by_v1(const Bundle& bundle) {
    for (const Property& property : bundle.properties)
        if (property.type == property_type::package_required ||
            property.type == property_type::gvk_required || property.type == property_type::constraint)
            return &property;
    return nullptr;
}

const GraphEntry* ChannelGraph::find(NodeId node) const {
    const auto after = std::upper_bound(by_node.begin(), by_node.end(), node,
                                        [&](NodeId id, uint32_t i) { return id < entries[i].node; });
    if (after == by_node.begin()) return nullptr;
    const GraphEntry& entry = entries[*(after - 1)];
    return entry.node == node ? &entry : nullptr;
}

NodeId ChannelGraph::head() const {
    return heads.size() == 1 ? entries[heads.front()].node : no_node;
}

std::span<const uint32_t> ChannelGraph::places_of(NodeId node) const {
    const auto node_at = [&](uint32_t i) { return entries[i].node; };
    return {std::ranges::lower_bound(by_node, node, {}, node_at),
            std::ranges::upper_bound(by_node, node, {}, node_at)};
}

bool ChannelGraph::is_head(NodeId node) const {
    return std::ranges::any_of(places_of(node), [&](uint32_t place) { return in_heads[place]; });
}

bool ChannelGraph::is_skipped(NodeId node) const {
    const GraphEntry* const entry = find(node);
    return entry && skipped[static_cast<size_t>(entry - entries.data())];
}

bool ChannelGraph::is_on_chain(NodeId node) const {
    return std::ranges::any_of(places_of(node), [&](uint32_t place) { return in_chain[place]; });
}

RankInterval PackageGraph::ranks_of(const VersionRelease& version) const {
    const auto below = [&](NodeId id, const VersionRelease& other) { return *nodes[id].version < other; };
    const auto above = [&](const VersionRelease& other, NodeId id) { return other < *nodes[id].version; };
    const auto begin = std::lower_bound(by_version.begin(), by_version.end(), version, below);
    const auto end = std::upper_bound(begin, by_version.end(), version, above);
    return {static_cast<uint32_t>(begin - by_version.begin()),
            static_cast<uint32_t>(end - by_version.begin())};
}

bool PackageGraph::covers(const GraphEntry& entry, const semver::Version& version) const {
    if (entry.skip_range == no_range) return false;
    const auto& range = skip_ranges[entry.skip_range].range;
    return range && range->contains(version);
}

const ChannelGraph* PackageGraph::find_channel(std::string_view channel) const {
    const auto found = std::ranges::lower_bound(channels, channel, {}, &ChannelGraph::name);
    return found != channels.end() && found->name == channel ? &*found : nullptr;
}

const ChannelGraph* PackageGraph::default_channel() const {
    return package ? find_channel(package->default_channel) : nullptr;
}

const Bundle* PackageGraph::default_head() const {
    const ChannelGraph* const channel = default_channel();
    const NodeId head = channel ? channel->head() : no_node;
    return head == no_node ? nullptr : nodes[head].bundle;
}

std::vector<const ChannelGraph*> PackageGraph::all_channels() const {
    std::vector<const ChannelGraph*> all;
    for (const ChannelGraph& channel : channels) all.push_back(&channel);
    return all;
}

const PackageGraph* UpgradeGraph::find(std::string_view package) const {
    const auto found =
        std::lower_bound(packages.begin(), packages.end(), package,
                         [](const PackageGraph& graph, std::string_view name) { return graph.name < name; });
    return found != packages.end() && found->name == package ? &*found : nullptr;
}

PackageGraph build_package_graph(const PackageIndex& index) {
    return Builder(index).build();
}

UpgradeGraph build_upgrade_graph(const Catalog& catalog, ThreadPool& pool) {
    const std::vector<PackageIndex> packages = index_packages(catalog);
    UpgradeGraph graph;
    graph.packages.resize(packages.size());
    pool.for_each(packages.size(), [&](size_t i) { graph.packages[i] = build_package_graph(packages[i]); });
    std::ranges::sort(graph.packages, {}, &PackageGraph::name); // names are unique
    return graph;
}

std::string_view to_string(EdgeKind kind) {
    switch (kind) {
    case EdgeKind::replaces:
        return "replaces";
    case EdgeKind::skips:
        return "skips";
    case EdgeKind::skip_range:
        return "skipRange";
    }
    return {};
}

Location EdgeOrigin::where() const {
    const ChannelEntry& source = *entry->source;
    switch (kind) {
    case EdgeKind::replaces:
        return channel->channel->at(source.replaces);
    case EdgeKind::skips:
        return channel->channel->at(source.skips[skip]);
    case EdgeKind::skip_range:
        return channel->channel->at(source.skip_range);
    }
    return {};
}

BundleVersion version_of(const Bundle& bundle, bool release_support) {
    const Property* const property = first_package_property(bundle);
    if (!property) return "no package property found in bundle " + go_quote(bundle.name);
    if (!property->value)
        return std::string("error unmarshalling package property: unexpected end of JSON input");
    const auto fields = read(*property->value);
    if (!fields) return "error unmarshalling package property: " + fields.error();
    const std::string_view version = fields->version;
    auto parsed = release_support && fields->release
                      ? semver::VersionRelease::parse(version, *fields->release)
                      : semver::VersionRelease::parse_legacy(version);
    if (!parsed) return parsed.error().message;
    return *std::move(parsed);
}

bool has_release_field(const Bundle& bundle) {
    const Property* const property = first_package_property(bundle);
    if (!property || !property->value) return false;
    const auto fields = read(*property->value);
    return fields && fields->release;
}

std::string shown(const semver::VersionRelease& version, bool release_support) {
    return release_support ? version.version.to_string() : version.to_legacy_string();
}

} // namespace opcat
