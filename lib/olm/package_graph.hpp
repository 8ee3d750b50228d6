// The packages of a catalog as OLM sees them: bundles with their versions, channels and the edges between
// versions, each range and version parsed once. The rules that choose among edges are in classic_rules.hpp
// and v1_rules.hpp.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/release.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

// The OLM whose rules for upgrades count.
enum class OlmGeneration : uint8_t { classic, v1 };
constexpr std::string_view to_string(OlmGeneration olm) {
    return olm == OlmGeneration::v1 ? "v1" : "classic";
}

// A version, or why it is not valid, in OLM's words.
using BundleVersion = Result<semver::VersionRelease, std::string>;

// From the bundle's first olm.package property (docs/spec/versions.md). `release_support` is the feature gate
// BundleReleaseSupport: without it the property's field "release" is ignored.
BundleVersion version_of(const Bundle& bundle, bool release_support);

// Returns true if the two results of `version_of` can differ.
bool has_release_field(const Bundle& bundle);

// As OLM shows it: with the gate only the version, without it the release is its build metadata.
std::string shown(const semver::VersionRelease& version, bool release_support);

// A node of one package: its index in PackageGraph::nodes.
using NodeId = uint32_t;
constexpr NodeId no_node = ~NodeId{0};

struct GraphNode {
    std::string_view name;
    const Bundle* bundle = nullptr; // nullptr: a virtual node, which only entries and edges name
    // The version of an installed operator of that name. Nothing if it is not valid. A virtual node has the
    // version in its name ("foo.v1.2.3").
    std::optional<semver::VersionRelease> version;
    std::string_view version_text;                 // as written; empty: there is none
    const DeprecationEntry* deprecation = nullptr; // of the bundle
    Location where;    // the bundle's name, or the first place that names the node
    uint32_t rank = 0; // its index in PackageGraph::by_version, if it has a version

    bool is_prohibited = false; // by the property olm.deprecated, for OLM classic

    bool is_virtual() const { return !bundle; }
    // Returns true if OLM classic may choose it.
    bool is_for_classic() const { return bundle && !is_prohibited; }
};

// The first property that declares a dependency, because of which OLM v1 refuses a bundle; nullptr if there
// is none.
const Property* dependency_refused_by_v1(const Bundle& bundle);

// One olm.bundle blob. Several may have the same name, which is not valid; OLM v1 considers each of them.
struct PackageBundle {
    const Bundle* bundle = nullptr;
    NodeId node = no_node;                   // of its name
    const Property* refused_by_v1 = nullptr; // see dependency_refused_by_v1
    bool deprecated = false;

    std::string_view name() const { return bundle->name; }
    // `release_support`: the feature gate BundleReleaseSupport of OLM v1.
    const BundleVersion& version(bool release_support) const {
        return release_support && with_release ? *with_release : legacy;
    }

    BundleVersion legacy = std::string();
    std::optional<BundleVersion> with_release; // if the gate makes a difference
};

// Indices in PackageGraph::by_version.
using semver::RankInterval;

// A skipRange and the versions of its package that it covers.
struct SkipRange {
    std::string_view text;
    std::optional<semver::BlangRange> range; // nothing: it does not parse, and covers nothing
    std::vector<RankInterval> covers;        // ascending, disjoint, not empty
};
constexpr uint32_t no_range = ~uint32_t{0};

// One entry of a channel with its edges: they lead to `node` from what the entry replaces, skips, and covers.
struct GraphEntry {
    NodeId node = no_node;
    NodeId replaces = no_node;
    uint32_t skip_range = no_range; // place in PackageGraph::skip_ranges
    uint32_t first_skip = 0;        // place in PackageGraph::skips
    uint32_t skip_count = 0;
    const ChannelEntry* source = nullptr;
};

// Why OLM classic cannot order a channel; it then resolves nothing in the whole namespace.
enum class ChainProblem : uint8_t { none, no_head, several_heads, cycle };

struct ChannelGraph {
    const Channel* channel = nullptr;
    std::string_view name;
    bool is_default = false;
    const DeprecationEntry* deprecation = nullptr;
    std::vector<GraphEntry> entries; // in the order of the file
    std::vector<uint32_t> by_node;   // indices in `entries`, ascending by node
    std::vector<uint32_t> heads;     // entries that are neither replaced nor skipped, not even by themselves
    // The entries that OLM classic installs: from the head along `replaces`, without skipped entries
    // (docs/spec/resolution-classic.md). Indices in `entries`, head first. With several heads those of the
    // first.
    std::vector<uint32_t> chain;
    ChainProblem problem = ChainProblem::none;
    std::vector<bool> skipped;  // for each entry, whether any entry skips it, itself included
    std::vector<bool> in_heads; // for each entry, whether it is in `heads`
    std::vector<bool> in_chain; // for each entry, whether it is in `chain`

    // The last entry of a node, because later ones win; nullptr if there is none.
    const GraphEntry* find(NodeId node) const;
    // The places of all entries of a node in `by_node`.
    std::span<const uint32_t> places_of(NodeId node) const;
    NodeId head() const; // no_node: there is none, or several
    bool is_head(NodeId node) const;
    bool is_skipped(NodeId node) const; // by an entry, itself included; only entries are
    bool is_on_chain(NodeId node) const;
};

// An entry of a node, and its channel.
struct NodeEntry {
    const ChannelGraph* channel;
    const GraphEntry* entry;
};

struct PackageGraph {
    std::string_view name;
    const Package* package = nullptr;              // nullptr: there is no olm.package blob
    const Deprecations* deprecations = nullptr;    // the first blob, the only one that OLM v1 considers
    const DeprecationEntry* deprecation = nullptr; // of the package
    std::vector<PackageBundle> bundles;            // all, in the order of the catalog
    std::vector<GraphNode> nodes;                  // bundles in the order of the catalog, then virtual ones
    std::vector<NodeId> by_version;
    std::vector<ChannelGraph> channels; // by name
    std::vector<SkipRange> skip_ranges; // each text once
    std::vector<NodeId> skips;
    std::unordered_map<std::string_view, NodeId> node_by_name;

    // Returns the entries of a node in all channels, in the order of the catalog.
    std::span<const NodeEntry> entries_of(NodeId node) const {
        return std::span(node_entries)
            .subspan(first_node_entry[node], first_node_entry[node + 1] - first_node_entry[node]);
    }
    std::span<const NodeId> skips_of(const GraphEntry& entry) const {
        return std::span(skips).subspan(entry.first_skip, entry.skip_count);
    }
    // The nodes of one version, as indices in `by_version`.
    RankInterval ranks_of(const semver::VersionRelease& version) const;
    bool covers(const GraphEntry& entry, const semver::Version& version) const;
    const ChannelGraph* find_channel(std::string_view channel) const;
    // The default channel; nullptr if it is missing, or the olm.package blob.
    const ChannelGraph* default_channel() const;
    // Its head, or nullptr.
    const Bundle* default_head() const;
    std::vector<const ChannelGraph*> all_channels() const;

    std::vector<NodeEntry> node_entries;
    std::vector<uint32_t> first_node_entry; // by node, with an end marker
};

// Refers to the catalog of the index. Near-linear: does not compare skipRanges with every version. Of several
// bundles of one name the first is the node's.
PackageGraph build_package_graph(const PackageIndex& index);

struct UpgradeGraph {
    std::vector<PackageGraph> packages; // by name

    const PackageGraph* find(std::string_view package) const;
};

// Builds the graphs of all packages. The result refers to the catalog, which must outlive it.
UpgradeGraph build_upgrade_graph(const Catalog& catalog, ThreadPool& pool);

enum class EdgeKind : uint8_t { replaces, skips, skip_range };
std::string_view to_string(EdgeKind kind); // the name of the entry's field

// An edge of a channel: `entry` leads to its node, by the field of `kind`.
struct EdgeOrigin {
    EdgeKind kind = EdgeKind::replaces;
    const ChannelGraph* channel = nullptr;
    const GraphEntry* entry = nullptr;
    uint32_t skip = 0; // index of the entry's skip

    Location where() const;
};

} // namespace opcat
