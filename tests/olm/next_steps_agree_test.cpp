// The next step of the upgrade graph is the choice of the resolvers: for every installed version of every
// recorded catalog, and of thousands of random ones that break all rules.
#include "opcat/catalog/load.hpp"
#include "opcat/olm/v1_rules.hpp"
#include "opcat/resolve/classic/problem.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

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
        FAIL_CHECK(
            fmt::format("OLM {}, package {}, channels {}, installed {}: the graph says {}, the resolver {}",
                        olm, package.name, channels, installed, graph, resolver));
}

std::string name_of(const PackageGraph& package, NodeId node) {
    return node == no_node ? "stays" : std::string(package.nodes[node].name);
}

// The choice of OLM v1 before it checks dependencies.
std::string chosen_by_v1(const olmv1::Request& request, const olmv1::NamedCatalog& catalog) {
    const olmv1::Resolution resolution = olmv1::resolve(request, {&catalog, 1});
    if (resolution.failure == olmv1::Resolution::Failure::crash) return "crash";
    const auto& choice = resolution.choice ? resolution.choice : resolution.unvalidated;
    if (!choice || choice->bundle->name() == request.installed->name) return "stays";
    return std::string(choice->bundle->name());
}

std::string next_in_graph(const PackageGraph& package, std::span<const ChannelGraph* const> channels,
                          NodeId node) {
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
                compare("v1", package, of, installed.name, one, chosen_by_v1(request, named), counts);
                if (one != "crash")
                    compare("v1 (all at once)", package, of, installed.name,
                            name_of(package, all_at_once[node]), one, counts);
            }
        }
    }
}

// Subscribed to each channel in turn, with each bundle of the package installed. The solver takes the first
// possible candidate; dependencies, which may exclude one, are not part of the graph.
std::string chosen_by_classic(const std::shared_ptr<const classic::Snapshot>& catalog,
                              const PackageGraph& package, const ChannelGraph& channel,
                              const GraphNode& installed) {
    classic::ClusterState cluster;
    const auto object = [](auto& made, std::string_view name) {
        made.ns = "ns";
        made.name = name;
    };
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
bool is_served(const PackageGraph& package) {
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

void compare_classic(const UpgradeGraph& graph, const Catalog& catalog, Counts& counts) {
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
                const std::string one =
                    channel.problem == ChainProblem::none ? name_of(package, successors.next) : "no order";
                compare("classic", package, channel.name, installed.name, one,
                        chosen_by_classic(snapshot, package, channel, installed), counts);
                if (one != "no order")
                    compare("classic (all at once)", package, channel.name, installed.name,
                            name_of(package, all_at_once[node]), one, counts);
            }
        }
    }
}

Counts compare_all(const LoadedCatalog& loaded, ThreadPool& pool) {
    Counts counts;
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, pool);
    compare_v1(graph, loaded.catalog, counts);
    compare_classic(graph, loaded.catalog, counts);
    return counts;
}

// One package "p" that breaks all rules: names without bundles, bundles twice, cycles, several heads, ranges
// that do not parse and ranges that crash OLM.
class RandomPackage {
public:
    explicit RandomPackage(unsigned seed) : random_(seed) {}

    std::string yaml() {
        std::string text = "schema: olm.package\nname: p\ndefaultChannel: a\n";
        const size_t versions = 2 + below(7);
        for (const std::string_view channel : {"b", "a", "c"}) {
            if (one_in(3)) continue;
            text += fmt::format("---\nschema: olm.channel\npackage: p\nname: {}\nentries:\n", channel);
            for (size_t i = 0; i < versions; ++i) {
                if (i > 0 && one_in(5)) continue;
                text += fmt::format("- name: {}\n", name(one_in(9) ? below(versions) : i));
                if (i > 0 && !one_in(4))
                    text += fmt::format("  replaces: {}\n", name(one_in(5) ? below(versions + 2) : i - 1));
                if (one_in(4))
                    text +=
                        fmt::format("  skips: [{}, {}]\n", name(below(versions)), name(below(versions + 2)));
                if (one_in(4)) text += fmt::format("  skipRange: '{}'\n", range(versions));
            }
        }
        for (size_t i = 0; i < versions; ++i)
            for (size_t copies = one_in(9) ? below(3) : 1; copies > 0; --copies) text += bundle(i, versions);
        if (one_in(2))
            text += fmt::format("---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {{schema: "
                                "olm.bundle, name: {}}}\n  message: old\n",
                                name(below(versions)));
        return text;
    }

private:
    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
    bool one_in(size_t n) { return below(n) == 0; }
    static std::string version(size_t i) { return fmt::format("{}.{}.0", 1 + i / 4, i % 4); }
    static std::string name(size_t i) { return "p.v" + version(i); }

    std::string range(size_t versions) {
        const std::string at = version(below(versions + 1));
        const char* const forms[] = {
            "<{}", ">=1.0.0 <{}", "!{}", "{} || >1.2.0", "{} || || 1.0.0", "nonsense {}", ""};
        return fmt::format(fmt::runtime(forms[below(7)]), at);
    }
    std::string bundle(size_t i, size_t versions) {
        const std::string_view suffixes[] = {"", "", "", "", "-rc.1", "+1", "+2", "+git.5"};
        const std::string written = one_in(9) ? "1.x" : version(one_in(9) ? below(versions) : i);
        std::string text =
            fmt::format("---\nschema: olm.bundle\npackage: p\nname: {}\nimage: i\nproperties:\n"
                        "- type: olm.package\n  value: {{packageName: p, version: \"{}{}\"}}\n",
                        name(i), written, suffixes[below(8)]);
        if (one_in(8)) text += "- type: olm.gvk.required\n  value: {group: g, kind: K, version: v1}\n";
        return text;
    }

    std::mt19937 random_;
};

} // namespace

TEST_CASE("the graph's next step is the resolvers' choice in random packages") {
    ThreadPool pool(1);
    size_t questions = 0;
    for (unsigned seed = 0; seed < 5000; ++seed) {
        const std::string yaml = RandomPackage(seed).yaml();
        CAPTURE(seed);
        CAPTURE(yaml);
        std::vector<std::unique_ptr<SourceFile>> files;
        files.push_back(std::make_unique<SourceFile>("catalog.yaml", yaml));
        const Counts counts = compare_all(load_catalog(std::move(files), pool), pool);
        questions += counts.questions;
        if (counts.differences > 0) break;
    }
    CHECK(questions > 50'000);
}

TEST_CASE("the graph's next step is the resolvers' choice in all recorded catalogs" *
          doctest::test_suite("recorded")) {
    const fs::path recorded = fs::path(OPCAT_SHARED) / "conformance/catalogs";
    ThreadPool pool(2);
    size_t packages = 0;
    for (const fs::directory_entry& kind : fs::directory_iterator(recorded)) {
        if (!kind.is_directory()) continue;
        for (const fs::directory_entry& catalog : fs::directory_iterator(kind)) {
            if (!catalog.is_directory()) continue;
            CAPTURE(catalog.path().string());
            packages += compare_all(load_catalog(catalog.path(), pool), pool).packages;
        }
    }
    CHECK(packages > 50);
}
