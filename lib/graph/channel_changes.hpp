// The edges of channels in two versions of a catalog, for drawings of what changed.
#pragma once

#include "opcat/graph/catalog_diff.hpp"
#include "opcat/olm/package_graph.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace opcat {

struct ComparedEdge {
    std::string_view from;
    std::string_view to;
    EdgeKind kind = EdgeKind::replaces;
    std::optional<ChangeKind> change; // added or removed; nothing: both versions have it
};

struct ComparedVersion {
    std::string_view name;
    bool is_before = false; // an entry of the old channel, or what its edges name
    bool is_after = false;
};

// A channel whose entries or edges changed.
struct ComparedChannel {
    std::string_view package;
    std::string_view channel;
    ChangeKind kind = ChangeKind::changed;
    std::vector<ComparedVersion> versions; // the newest first
    std::vector<ComparedEdge> edges;
    size_t left_out = 0; // versions without a change, because there are many
    bool is_too_large = false;
};

// Compares the channels of the packages that DiffOptions wants, by package and channel. The result for a
// channel of more than 40 versions has only what changed. A channel of more than 20,000 edges, or of more
// than 300 changed versions, is too large: its result has no graph.
std::vector<ComparedChannel> compare_channels(const UpgradeGraph& before, const UpgradeGraph& after,
                                              const DiffOptions& options);

} // namespace opcat
