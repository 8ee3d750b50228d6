// What an installed operator is upgraded to next, as OLM classic and as OLM v1 see it.
#pragma once

#include "catalog/installed_name.hpp"
#include "graph/upgrade_graph.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// What is on the cluster: one of the package's nodes, or a version that the catalog does not know. An edge
// can know it by its name (replaces, skips) or its version (skipRange).
struct Installed {
    NodeId node = no_node;
    std::string_view name;                         // empty: not known, and no name in the catalog is it
    std::optional<semver::VersionRelease> version; // nothing: not known, or not readable
};

Installed installed_node(const PackageGraph& graph, NodeId node);

// The bundles of a package, and what only its channels name, for `read_installed_name`.
void append_known_bundles(std::vector<KnownBundle>& bundles, const PackageGraph& graph);
// Of that package, or of one that is not known.
Installed as_installed(const PackageGraph& graph, const InstalledName& name);

// The name, or else the version.
std::string describe(const PackageGraph& graph, const Installed& installed);

// The edges of one entry that lead from what is installed to it; empty if there are none.
std::vector<EdgeOrigin> edges_from(const PackageGraph& graph, const ChannelGraph& channel,
                                   const GraphEntry& entry, const Installed& installed);

// "replaces foo.v1.0.0", "its skipRange ">=1.0.0 <2.0.0" covers 1.0.0".
std::string describe(const PackageGraph& graph, const EdgeOrigin& edge, const Installed& installed);

// "it has several heads"; empty for none.
std::string describe(ChainProblem problem);

struct Successor {
    NodeId node = no_node;
    std::vector<EdgeOrigin> edges; // all that lead to it, in the channels looked at
};

// OLM classic, for a Subscription to one channel (../shared/design/resolve-classic.md, section 6, step 2):
// entries of the chain that replace, skip or cover what is installed, nearest to the head first. The first is
// installed next.
struct ClassicSuccessors {
    const ChannelGraph* channel = nullptr;
    std::vector<Successor> candidates;
    NodeId next = no_node; // no_node: it stays
};
ClassicSuccessors classic_successors(const PackageGraph& graph, const ChannelGraph& channel,
                                     const Installed& installed);

// OLM v1, for a ClusterExtension that names these channels (../shared/design/resolve-v1.md, section 4):
// bundles to which any of their entries leads; not deprecated before deprecated, then by version. The first
// is installed next, unless what is installed comes before it in this order.
struct V1Successors {
    std::vector<Successor> candidates;
    NodeId next = no_node;  // no_node: it stays
    bool held_back = false; // it stays although there are candidates
    bool ambiguous = false; // the first two candidates have the same version
};
V1Successors v1_successors(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                           const Installed& installed);

// A bundle that OLM v1 refuses: the first property that declares a dependency; nullptr if there is none.
const Property* dependency_refused_by_v1(const Bundle& bundle);

// Why the two take different ways, in a sentence; empty if they do not.
std::string explain_difference(const PackageGraph& graph, const ClassicSuccessors& classic,
                               const V1Successors& v1, const Installed& installed);

} // namespace opcat
