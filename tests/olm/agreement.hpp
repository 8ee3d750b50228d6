// The upgrade graph against the resolvers: for every installed version of every package, alone and all at
// once.
#pragma once

#include "opcat/catalog/load.hpp"
#include "opcat/olm/v1_rules.hpp"
#include "opcat/resolve/classic/problem.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace opcat::test {

inline std::string name_of(const PackageGraph& package, NodeId node) {
    return node == no_node ? "stays" : std::string(package.nodes[node].name);
}

// The choice of OLM v1 before it checks dependencies.
inline std::string chosen_by_v1(const olmv1::Request& request, const olmv1::NamedCatalog& catalog) {
    const olmv1::Resolution resolution = olmv1::resolve(request, {&catalog, 1});
    if (resolution.failure == olmv1::Resolution::Failure::crash) return "crash";
    const auto& choice = resolution.choice ? resolution.choice : resolution.unvalidated;
    if (!choice || choice->bundle->name() == request.installed->name) return "stays";
    return std::string(choice->bundle->name());
}

inline std::string next_in_graph(const PackageGraph& package, std::span<const ChannelGraph* const> channels,
                                 NodeId node) {
    const V1Successors successors = v1_successors(package, channels, installed_node(package, node));
    return successors.crash ? "crash" : name_of(package, successors.next);
}

// Subscribed to each channel in turn, with each bundle of the package installed. The solver takes the first
// possible candidate; dependencies, which may exclude one, are not part of the graph.
inline std::string chosen_by_classic(const std::shared_ptr<const classic::Snapshot>& catalog,
                                     const PackageGraph& package, const ChannelGraph& channel,
                                     const GraphNode& installed) {
    classic::ClusterState cluster;
    const auto object = [](auto& made, std::string_view name) {
        made.ns = "ns";
        made.name = name;
    };
    object(cluster.operator_groups.emplace_back(), "group");
    classic::ClusterServiceVersion& csv = cluster.csvs.emplace_back();
    object(csv, installed.name);
    csv.version = installed.version->to_legacy_string();
    csv.phase = "Succeeded";
    classic::Subscription& subscription = cluster.subscriptions.emplace_back();
    object(subscription, package.name);
    subscription.package = package.name;
    subscription.channel = channel.name;
    subscription.source = catalog->key.name;
    subscription.source_namespace = catalog->key.ns;
    subscription.installed_csv = subscription.current_csv = installed.name;

    classic::Finder finder(classic::existing_snapshot("ns", cluster), {catalog});
    const classic::Subscription* const subscriptions[] = {&subscription};
    const classic::BuiltProblem built = classic::build_problem(finder, subscriptions);
    if (!built.mistakes.empty()) return "no order";
    for (const classic::Variable& variable : built.problem.variables)
        if (variable.kind == classic::Variable::Kind::subscription)
            for (const classic::Constraint& constraint : variable.constraints)
                if (constraint.kind == classic::Constraint::Kind::dependency)
                    for (const classic::VariableId id : constraint.ids) {
                        const classic::Entry& entry = *built.problem.variables[id].entry;
                        return entry.name == installed.name ? "stays" : std::string(entry.name);
                    }
    return "stays";
}

// OLM classic only sees what its registry serves: entries with their bundles, and unique
// names.
inline bool is_served(const PackageGraph& package) {
    return std::none_of(package.channels.begin(), package.channels.end(),
                        [&](const ChannelGraph& channel) {
                            std::set<NodeId> seen;
                            return std::any_of(channel.entries.begin(), channel.entries.end(),
                                               [&](const GraphEntry& entry) {
                                                   return package.nodes[entry.node].is_virtual() ||
                                                          !seen.insert(entry.node).second;
                                               });
                        }) &&
           std::none_of(package.bundles.begin(), package.bundles.end(), [&](const PackageBundle& bundle) {
               return package.nodes[bundle.node].bundle != bundle.bundle;
           });
}

struct GraphAgainstResolvers {
    size_t packages = 0;
    size_t questions = 0;
    std::vector<std::string> disagreements; // in a sentence each

    void ask_about(const LoadedCatalog& loaded, ThreadPool& pool) {
        const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, pool);
        compare_v1(graph, loaded.catalog);
        compare_classic(graph, loaded.catalog);
    }

private:
    void compare(std::string_view olm, const PackageGraph& package, std::string_view channels,
                 std::string_view installed, const std::string& graph, const std::string& resolver) {
        ++questions;
        if (graph != resolver)
            disagreements.push_back(fmt::format(
                "OLM {}, package {}, channels {}, installed {}: the graph says {}, the resolver {}", olm,
                package.name, channels, installed, graph, resolver));
    }

    void compare_v1(const UpgradeGraph& graph, const Catalog& catalog) {
        const olmv1::CatalogIndex index{Catalog(catalog)};
        const olmv1::NamedCatalog named{"catalog", &index, 0, {}, false};
        for (const PackageGraph& package : graph.packages) {
            ++packages;
            std::vector<std::vector<const ChannelGraph*>> selections{package.all_channels()};
            for (const ChannelGraph& channel : package.channels) selections.push_back({&channel});
            for (const auto& channels : selections) {
                olmv1::Request request{.package = std::string(package.name)};
                // Naming all of them is the same as naming none.
                if (channels.size() < package.channels.size())
                    request.channels = {std::string(channels.front()->name)};
                const std::vector<NodeId> all_at_once = v1_next_steps(package, channels);
                for (NodeId node = 0; node < package.nodes.size(); ++node) {
                    const GraphNode& installed = package.nodes[node];
                    if (!installed.version) continue;
                    request.installed = olmv1::InstalledBundle{
                        std::string(installed.name), installed.version->to_legacy_string(), std::nullopt};
                    const std::string one = next_in_graph(package, channels, node);
                    const std::string_view of = request.channels.empty() ? "all" : channels.front()->name;
                    compare("v1", package, of, installed.name, one, chosen_by_v1(request, named));
                    if (one != "crash")
                        compare("v1 (all at once)", package, of, installed.name,
                                name_of(package, all_at_once[node]), one);
                }
            }
        }
    }

    void compare_classic(const UpgradeGraph& graph, const Catalog& catalog) {
        const auto snapshot = classic::catalog_snapshot({"olm", "catalog"}, catalog);
        for (const PackageGraph& package : graph.packages) {
            if (package.name.empty() || !is_served(package)) continue; // a Subscription names a package
            for (const ChannelGraph& channel : package.channels) {
                if (channel.name.empty()) continue; // which would be any
                const std::vector<NodeId> all_at_once = classic_next_steps(package, channel);
                for (NodeId node = 0; node < package.nodes.size(); ++node) {
                    const GraphNode& installed = package.nodes[node];
                    if (!installed.version || installed.name.empty()) continue;
                    const ClassicSuccessors successors =
                        classic_successors(package, channel, installed_node(package, node));
                    const std::string one = channel.problem == ChainProblem::none
                                                ? name_of(package, successors.next)
                                                : "no order";
                    compare("classic", package, channel.name, installed.name, one,
                            chosen_by_classic(snapshot, package, channel, installed));
                    if (one != "no order")
                        compare("classic (all at once)", package, channel.name, installed.name,
                                name_of(package, all_at_once[node]), one);
                }
            }
        }
    }
};

} // namespace opcat::test
