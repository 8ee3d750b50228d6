// What the upgrade graph says comes next is what the resolvers choose: for every installed version of every
// recorded catalog, and of thousands of random ones that break all rules.
#include "graph/next_steps.hpp"
#include "graph/successors.hpp"
#include "random_package.hpp"
#include "resolve/classic/resolve.hpp"
#include "resolve/v1/resolver.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;
using namespace opcat;

namespace {

struct Counts {
    size_t packages = 0;
    size_t questions = 0;
    size_t differences = 0;
};

void compare(std::string_view olm, const PackageGraph& package, std::string_view channels,
             std::string_view installed, const std::string& graph, const std::string& resolver,
             Counts& counts) {
    ++counts.questions;
    if (graph == resolver) return;
    if (++counts.differences <= 20)
        FAIL_CHECK(fmt::format("OLM {}, package {}, channels {}, installed {}: the graph says {}, the resolver {}",
                               olm, package.name, channels, installed, graph, resolver));
}

std::string name_of(const PackageGraph& package, NodeId node) {
    return node == no_node ? "stays" : std::string(package.nodes[node].name);
}

// What OLM v1 chooses before it looks at dependencies.
std::string chosen_by_v1(const olmv1::Request& request, const olmv1::NamedCatalog& catalog) {
    const olmv1::Resolution resolution = olmv1::resolve(request, {&catalog, 1});
    if (resolution.failure == olmv1::Resolution::Failure::crash) return "crash";
    const auto& choice = resolution.choice ? resolution.choice : resolution.unvalidated;
    if (!choice || choice->bundle->name() == request.installed->name) return "stays";
    return std::string(choice->bundle->name());
}

std::string next_in_graph(const PackageGraph& package, std::span<const ChannelGraph* const> channels, NodeId node) {
    const V1Successors successors = v1_successors(package, channels, installed_node(package, node));
    return successors.crash ? "crash" : name_of(package, successors.next);
}

void compare_v1(const UpgradeGraph& graph, const Catalog& catalog, Counts& counts) {
    const olmv1::CatalogIndex index{Catalog(catalog)};
    const olmv1::NamedCatalog named{"catalog", &index, 0, {}, false};
    for (const PackageGraph& package : graph.packages) {
        ++counts.packages;
        std::vector<std::vector<const ChannelGraph*>> selections{package.all_channels()};
        for (const ChannelGraph& channel : package.channels) selections.push_back({&channel});
        for (const auto& channels : selections) {
            olmv1::Request request{.package = std::string(package.name)};
            if (&channels != &selections.front()) request.channels = {std::string(channels.front()->name)};
            const std::vector<NodeId> all_at_once = v1_next_steps(package, channels);
            for (NodeId node = 0; node < package.nodes.size(); ++node) {
                const GraphNode& installed = package.nodes[node];
                if (!installed.version) continue;
                request.installed = olmv1::InstalledBundle{
                    std::string(installed.name), installed.version->to_legacy_string(), std::nullopt};
                const std::string one = next_in_graph(package, channels, node);
                const std::string_view of = request.channels.empty() ? "all" : channels.front()->name;
                compare("v1", package, of, installed.name, one, chosen_by_v1(request, named), counts);
                if (one != "crash")
                    compare("v1 (all at once)", package, of, installed.name, name_of(package, all_at_once[node]), one,
                            counts);
            }
        }
    }
}

} // namespace
