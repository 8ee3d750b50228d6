// Removes versions from an upgrade graph so that the remaining ones keep the upgrade paths between them.
#pragma once

#include "opcat/olm/package_graph.hpp"

#include <span>
#include <string>
#include <vector>

namespace opcat {

struct RepairedEntry {
    NodeId node = no_node;
    std::string replaces;
    std::vector<std::string> skips;
    std::string skip_range;
};

struct RepairedChannel {
    const ChannelGraph* channel = nullptr;
    std::vector<RepairedEntry> entries; // in the order of the file; not empty
    bool changed = false;
    NodeId head = no_node; // no_node: unchanged, and OLM classic installs nothing from it
    // Entries that OLM classic leaves out, as before, although only dropped ones had skipped them.
    std::vector<NodeId> still_skipped;
};

struct RepairedPackage {
    std::vector<RepairedChannel> channels; // without those that have lost all entries
    // Versions that could not stay: no graph without the dropped ones preserves their upgrade paths both for
    // OLM v1 and for OLM classic.
    std::vector<NodeId> given_up;
};

// `channels` of the graph stay; `kept` says for each node of the graph whether it shall. The package must
// pass the checks of lint/checks.hpp; the result does so, too. Of any two versions that stay,
//  - in each channel that has both, OLM classic and OLM v1 find a way from one to the other exactly where
//  they
//    did before;
//  - over all channels together, OLM v1 finds no new ways, and the old ones unless they change on a dropped
//    version from one channel to another and lead to what only stays in channels that have the earlier
//    version, too: an edge there would be a new way in that channel.
// A way through dropped versions becomes an edge. What was skipped stays skipped: where nothing else is left
// to do it, an entry skips itself. Users of dropped versions keep the edges that led on from them, and so do
// users of versions that only a skipRange of a dropped entry on the chain covers.
RepairedPackage repair_edges(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                             std::vector<bool> kept);

} // namespace opcat
