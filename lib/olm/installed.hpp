// What is installed on a cluster, and the edges of a package that lead on from it.
#pragma once

#include "catalog/installed_name.hpp"
#include "olm/package_graph.hpp"

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

} // namespace opcat
