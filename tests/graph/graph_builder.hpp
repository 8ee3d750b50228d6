// Catalogs for tests, from YAML in the test.
#pragma once

#include "../load_text.hpp"
#include "opcat/graph/graph_view.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::test {

// One package with its graph.
struct Graph {
    LoadedCatalog loaded;
    UpgradeGraph graph;

    const PackageGraph& package() const { return graph.packages.at(0); }
    const ChannelGraph& channel(std::string_view name = "stable") const {
        const ChannelGraph* const found = package().find_channel(name);
        REQUIRE(found);
        return *found;
    }
    NodeId node(std::string_view name) const {
        const auto found = package().node_by_name.find(name);
        return found == package().node_by_name.end() ? no_node : found->second;
    }
    std::string name(NodeId id) const {
        return id == no_node ? std::string() : std::string(package().nodes[id].name);
    }
    std::vector<const ChannelGraph*> all() const { return package().all_channels(); }
};

inline Graph graph_of(std::string_view yaml) {
    ThreadPool pool(1);
    Graph graph;
    graph.loaded = load_text(yaml);
    for (const Diagnostic& finding : graph.loaded.diagnostics) FAIL(to_text(finding, {}));
    graph.graph = build_upgrade_graph(graph.loaded.catalog, pool);
    return graph;
}

// The installed version that a user names.
inline Installed installed_as(std::string_view text, const Graph& graph) {
    std::vector<KnownBundle> bundles;
    append_known_bundles(bundles, graph.package());
    return as_installed(graph.package(), read_installed_name(text, bundles, GoneBundle::with_version));
}

inline std::string bundle(std::string_view version, std::string_view more = {}) {
    return fmt::format("---\nschema: olm.bundle\npackage: foo\nname: foo.v{0}\nimage: quay.io/foo/foo:v{0}\n"
                       "properties:\n- type: olm.package\n  value: {{packageName: foo, version: {0}}}\n{1}",
                       version, more);
}

inline std::string channel(std::string_view name, std::string_view entries) {
    return fmt::format("---\nschema: olm.channel\npackage: foo\nname: {}\nentries:\n{}\n", name, entries);
}

// Package foo with default channel stable, which has these entries, and bundles of these versions.
inline std::string catalog(std::string_view entries, const std::vector<std::string_view>& versions) {
    std::string text =
        "schema: olm.package\nname: foo\ndefaultChannel: stable\n" + channel("stable", entries);
    for (const std::string_view version : versions) text += bundle(version);
    return text;
}

inline bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace opcat::test
