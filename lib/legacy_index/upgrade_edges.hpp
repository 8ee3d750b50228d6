// The upgrade edges of a legacy index.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace opcat::legacy {

// A row of the table channel_entry: an edge into a bundle, from the bundle of the entry that it replaces.
struct EdgeRow {
    int64_t id = 0;
    std::string package, channel, bundle;
    std::optional<int64_t> replaces;
    std::optional<int64_t> depth; // in its channel; the least of all are heads
};

struct BundleInChannel {
    std::string bundle, package, channel;
    friend auto operator<=>(const BundleInChannel&, const BundleInChannel&) = default;
};

struct Edges {
    std::string replaces; // empty: nothing
    std::vector<std::string> skips;
};

// What becomes of the rows in a catalog: the edges that are met when following `replaces` from all heads are
// what a bundle replaces (of several, the last bundle by name), all others are skips, in the order of their
// rows.
std::map<BundleInChannel, Edges> upgrade_edges(const std::vector<EdgeRow>& rows);

} // namespace opcat::legacy
