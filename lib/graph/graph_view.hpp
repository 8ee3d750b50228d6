// The selected part of an upgrade graph.
#pragma once

#include "opcat/olm/package_graph.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace opcat {

struct PackageView {
    const PackageGraph* package = nullptr;
    std::vector<const ChannelGraph*> channels;
};
using GraphView = std::vector<PackageView>;

// Whose rules for upgrades count.
enum class OlmGeneration : uint8_t { classic, v1 };

// Packages and channels of these names; an empty name means all. Packages without such a channel are left
// out. Throws RequestError, with the nearest names, if the result is empty.
GraphView select(const UpgradeGraph& graph, std::string_view package, std::string_view channel);

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
