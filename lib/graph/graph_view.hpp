// The selected part of an upgrade graph.
#pragma once

#include "opcat/catalog/lifecycle.hpp"
#include "opcat/olm/package_graph.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct PackageView {
    const PackageGraph* package = nullptr;
    std::vector<const ChannelGraph*> channels;
    std::optional<Lifecycle> lifecycle = std::nullopt; // of the package, if it is to be shown
};
using GraphView = std::vector<PackageView>;

std::optional<OlmGeneration> olm_generation_named(std::string_view name);

// Packages and channels of these names; an empty name means all. Packages without such a channel are left
// out. Throws RequestError, with the nearest names, if the result is empty.
GraphView select(const UpgradeGraph& graph, std::string_view package, std::string_view channel);

// Adds the lifecycles of a catalog, the first of each package.
void add_lifecycles(GraphView& view, const Catalog& catalog);
// The last day on which a version is supported, "2026-12-31"; empty: it is not known.
std::string support_end(const PackageView& view, const GraphNode& node);

// The channels in the order of a drawing's columns: those with the newest versions first; of equally new ones
// those with the greater number in their names: stable-3.10 before stable-3.9. The rows have the newest
// version first, so that both meet near the diagonal.
std::vector<const ChannelGraph*> newest_first(const PackageGraph& package,
                                              std::vector<const ChannelGraph*> channels);

// The number of edges in a drawing of the view: one for each version that a skipRange covers within its
// channel.
size_t count_edges(const GraphView& view);

// All edges of one channel, each skipRange as one edge from every entry of the channel that it covers, in the
// order of the entries.
struct Edge {
    NodeId from;
    NodeId to;
    EdgeOrigin origin;
};
std::vector<Edge> edges_of(const PackageGraph& package, const ChannelGraph& channel);

} // namespace opcat
