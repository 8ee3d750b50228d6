#include "opcat/lsp/hover.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/olm/next_steps.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/semver/blang_range.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::lsp {

namespace {

std::string version_of(const GraphNode& node) {
    return node.version ? shown(*node.version, false) : std::string(node.version_text);
}

std::string describe_deprecation(const DeprecationEntry* entry) {
    return entry ? fmt::format("\n\n**Deprecated**: {}", entry->message.text) : std::string();
}

std::string describe_bundle(const PackageGraph& graph, const std::string& name) {
    const auto found = graph.node_by_name.find(name);
    if (found == graph.node_by_name.end()) return {};
    const NodeId id = found->second;
    const GraphNode& node = graph.nodes[id];
    std::string text = fmt::format("**{}**", name);
    text += node.is_virtual()
                ? fmt::format("\n\nThe catalog has no bundle of this name in package {}.", graph.name)
                : fmt::format(" · version {} of package {}", version_of(node), graph.name);
    text += describe_deprecation(node.deprecation);
    for (const ChannelGraph& channel : graph.channels) {
        const GraphEntry* const entry = channel.find(id);
        std::vector<std::string> from;
        if (entry) {
            for (NodeId other = 0; other < graph.nodes.size(); ++other)
                if (other != id && !edges_from(graph, channel, *entry, installed_node(graph, other)).empty())
                    from.emplace_back(graph.nodes[other].name);
        }
        const NodeId next = classic_next_steps(graph, channel)[id];
        if (!entry && next == no_node) continue;
        text += fmt::format("\n\nChannel **{}**{}{}", channel.name, channel.is_default ? " (default)" : "",
                            channel.is_head(id) ? ": its head" : "");
        if (!from.empty()) text += fmt::format("\n- upgrades to it: {}", listed(from, 12));
        if (next != no_node) text += fmt::format("\n- is upgraded to {}", graph.nodes[next].name);
        if (!entry) text += "\n- has no entry in it";
    }
    return text;
}

std::string describe_channel(const PackageGraph& graph, const std::string& name) {
    const ChannelGraph* const channel = graph.find_channel(name);
    if (!channel) return fmt::format("**{}**\n\nPackage {} has no channel of this name.", name, graph.name);
    std::string text =
        fmt::format("**{}** · {}channel of package {}, with {}", name, channel->is_default ? "default " : "",
                    graph.name, counted(channel->entries.size(), "bundle"));
    if (const NodeId head = channel->head(); head != no_node)
        text += fmt::format("\n\nIts head is {} (version {}).", graph.nodes[head].name,
                            version_of(graph.nodes[head]));
    return text + describe_deprecation(channel->deprecation);
}

std::string describe_package(const PackageGraph& graph) {
    std::string text =
        fmt::format("**{}** · package with {} and {}", graph.name, counted(graph.channels.size(), "channel"),
                    counted(graph.bundles.size(), "bundle"));
    for (const ChannelGraph& channel : graph.channels) {
        const NodeId head = channel.head();
        text += fmt::format("\n- {}{}: {}", channel.name, channel.is_default ? " (default)" : "",
                            head == no_node ? std::string("no head, or several")
                                            : std::string(graph.nodes[head].name));
    }
    return text + describe_deprecation(graph.deprecation);
}

} // namespace

std::string describe(const CatalogAnalysis& analysis, const Thing& thing) {
    const PackageIndex index = index_of_package(analysis, thing.package);
    if (index.packages.empty() && index.channels.empty() && index.bundles.empty())
        return fmt::format("**{}**\n\nThe catalog has no such package.", thing.package);
    const PackageGraph graph = build_package_graph(index);
    switch (thing.kind) {
    case ThingKind::package:
        return describe_package(graph);
    case ThingKind::channel:
        return describe_channel(graph, thing.name);
    default:
        return describe_bundle(graph, thing.name);
    }
}

std::string describe_range(const CatalogAnalysis& analysis, std::string_view package, std::string_view text) {
    const auto range = semver::BlangRange::parse(text);
    if (!range) return {};
    const PackageIndex index = index_of_package(analysis, package);
    std::vector<semver::VersionRelease> covered;
    size_t all = 0;
    for (const Bundle* bundle : index.bundles) {
        const BundleVersion version = opcat::version_of(*bundle, false);
        if (!version) continue;
        ++all;
        if (range->contains(version->version)) covered.push_back(*version);
    }
    if (all == 0) return {};
    std::sort(covered.begin(), covered.end());
    std::vector<std::string> names;
    for (auto version = covered.rbegin(); version != covered.rend(); ++version)
        names.push_back(shown(*version, false));
    return names.empty() ? fmt::format("covers none of the {} of {}", counted(all, "version"), package)
                         : fmt::format("covers {} of {} versions of {}: {}", names.size(), all, package,
                                       listed(names, 12));
}

std::string describe_field(DocumentKind kind, const CursorContext& context, std::string_view value,
                           const FieldSchemas& schemas, const CatalogAnalysis* analysis) {
    const auto field = schemas.field(kind, context);
    std::string text;
    if (field && !context.path.empty() && context.path.back() != "[]") {
        text = fmt::format("**{}**", context.path.back());
        if (!field->description.empty()) text += " · " + field->description;
    }
    const auto append = [&](const std::string& more) {
        if (!more.empty()) text += (text.empty() ? "" : "\n\n") + more;
    };
    if (kind != DocumentKind::blob) return text;
    const std::string path = context.field();
    if (path == "schema") append(schemas.describe_schema(value));
    if (path == "properties[].type") append(schemas.describe_property_type(value));
    if (!analysis) return text;
    const std::string_view package =
        context.root("schema") == schema::package ? context.root("name") : context.root("package");
    if (path == "entries[].skipRange") append(describe_range(*analysis, package, value));
    if (path == "properties[].value.versionRange")
        append(describe_range(*analysis, context.sibling("packageName"), value));
    return text;
}

} // namespace opcat::lsp
