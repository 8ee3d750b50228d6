#include "opcat/olm/next_steps.hpp"

#include <fmt/core.h>

namespace opcat {

Installed installed_node(const PackageGraph& graph, NodeId node) {
    return {node, graph.nodes[node].name, graph.nodes[node].version};
}

void append_known_bundles(std::vector<KnownBundle>& bundles, const PackageGraph& graph) {
    bundles.reserve(bundles.size() + graph.nodes.size());
    for (const GraphNode& node : graph.nodes)
        bundles.push_back({graph.name, node.name, node.version, !node.is_virtual()});
}

Installed as_installed(const PackageGraph& graph, const InstalledName& name) {
    const auto node = graph.node_by_name.find(name.name);
    return {node == graph.node_by_name.end() ? no_node : node->second, name.name, name.version};
}

std::string describe(const PackageGraph& graph, const Installed& installed) {
    if (installed.node != no_node) return std::string(graph.nodes[installed.node].name);
    return installed.version ? installed.version->to_legacy_string() : std::string(installed.name);
}

std::vector<EdgeOrigin> edges_from(const PackageGraph& graph, const ChannelGraph& channel,
                                   const GraphEntry& entry, const Installed& installed) {
    std::vector<EdgeOrigin> edges;
    if (installed.node != no_node) {
        if (entry.replaces == installed.node) edges.push_back({EdgeKind::replaces, &channel, &entry});
        const auto skips = graph.skips_of(entry);
        for (uint32_t i = 0; i < skips.size(); ++i) {
            if (skips[i] != installed.node) continue;
            edges.push_back({EdgeKind::skips, &channel, &entry, i});
            break;
        }
    }
    if (installed.version && graph.covers(entry, installed.version->version))
        edges.push_back({EdgeKind::skip_range, &channel, &entry});
    return edges;
}

std::string describe(const PackageGraph& graph, const EdgeOrigin& edge, const Installed& installed) {
    switch (edge.kind) {
    case EdgeKind::replaces:
        return fmt::format("replaces {}", describe(graph, installed));
    case EdgeKind::skips:
        return fmt::format("skips {}", describe(graph, installed));
    case EdgeKind::skip_range:
        return fmt::format("its skipRange \"{}\" covers {}", edge.entry->source->skip_range.text,
                           installed.version ? installed.version->to_legacy_string() : std::string());
    }
    return {};
}

} // namespace opcat
