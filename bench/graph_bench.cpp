// Building upgrade graphs and asking for every version's successors, next to loading the catalog; and how
// that grows with the number of bundles in one channel.
#include "opcat/catalog/load.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

namespace {

using namespace opcat;

// CPU time: with one thread it does not depend on the load of the machine.
double milliseconds(const std::function<void()>& work, int rounds) {
    double best = 1e300;
    for (int i = 0; i < rounds; ++i) {
        const std::clock_t begin = std::clock();
        work();
        best = std::min(best, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return best;
}

// What every installed version of every package goes to next, by both OLMs.
size_t all_successors(const UpgradeGraph& graph) {
    size_t found = 0;
    const auto count = [&](const std::vector<NodeId>& next) {
        found += static_cast<size_t>(
            std::count_if(next.begin(), next.end(), [](NodeId id) { return id != no_node; }));
    };
    for (const PackageGraph& package : graph.packages) {
        for (const ChannelGraph& channel : package.channels) count(classic_next_steps(package, channel));
        count(v1_next_steps(package, package.all_channels()));
    }
    return found;
}

std::string generated(size_t bundles) {
    std::string channel = "{\"schema\":\"olm.channel\",\"package\":\"foo\",\"name\":\"stable\",\"entries\":[";
    std::string text = "{\"schema\":\"olm.package\",\"name\":\"foo\",\"defaultChannel\":\"stable\"}\n";
    const auto version = [](size_t i) { return fmt::format("{}.{}.{}", i / 1000, i / 10 % 100, i % 10); };
    for (size_t i = 0; i < bundles; ++i) {
        channel += fmt::format("{}{{\"name\":\"foo.v{}\"", i == 0 ? "" : ",", version(i));
        if (i > 0) channel += fmt::format(",\"replaces\":\"foo.v{}\"", version(i - 1));
        if (i > 1) channel += fmt::format(",\"skips\":[\"foo.v{}\"]", version(i - 2));
        channel += fmt::format(",\"skipRange\":\"<{}\"}}", version(i));
        text += fmt::format(
            "{{\"schema\":\"olm.bundle\",\"package\":\"foo\",\"name\":\"foo.v{0}\",\"image\":\"i\","
            "\"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"foo\",\"version\":\"{0}"
            "\"}}}}]}}\n",
            version(i));
    }
    return text + channel + "]}\n";
}

void compare_with_loading(const char* directory, ThreadPool& pool) {
    LoadedCatalog loaded;
    const double loading = milliseconds([&] { loaded = load_catalog(directory, pool); }, 5);
    UpgradeGraph graph;
    const double building = milliseconds([&] { graph = build_upgrade_graph(loaded.catalog, pool); }, 20);
    const double asking = milliseconds([&] { all_successors(graph); }, 20);
    fmt::print(
        "{}: {} bundles\n  load {:.2f} ms, build {:.2f} ms, all successors {:.2f} ms: {:.1f} % of loading\n",
        directory, loaded.catalog.bundles.size(), loading, building, asking,
        100 * (building + asking) / loading);
}

void measure_growth(ThreadPool& pool) {
    fmt::print("one channel, each entry with replaces, skips and a skipRange over all that is older:\n");
    double before = 0;
    for (const size_t bundles : {size_t{1000}, size_t{10'000}, size_t{100'000}}) {
        std::vector<std::unique_ptr<SourceFile>> files;
        files.push_back(std::make_unique<SourceFile>("generated.json", generated(bundles)));
        const LoadedCatalog loaded = load_catalog(std::move(files), pool);
        UpgradeGraph graph;
        const double building = milliseconds([&] { graph = build_upgrade_graph(loaded.catalog, pool); }, 3);
        const double asking = milliseconds([&] { all_successors(graph); }, 3);
        const PackageGraph& package = graph.packages.front();
        const double paths = milliseconds(
            [&] {
                const NodeId head = package.channels[0].entries[package.channels[0].heads.at(0)].node;
                (void)ShortestPaths(package, {package.all_channels(), false}, head).distance(0);
            },
            3);
        const double health = milliseconds(
            [&] {
                (void)check_health({{&package, package.all_channels()}});
            },
            1);
        const double all = building + asking + paths + health;
        fmt::print("  {:>6} bundles: build {:.1f} ms, all successors {:.1f} ms, all shortest paths {:.1f} "
                   "ms, health {:.1f} ms{}\n",
                   bundles, building, asking, paths, health,
                   before > 0 ? fmt::format("; {:.1f} times as long for 10 times as many", all / before)
                              : std::string());
        before = all;
    }
}

} // namespace

int main(int argc, char** argv) {
    ThreadPool pool(1); // next to loading with one thread, too
    for (int i = 1; i < argc; ++i) compare_with_loading(argv[i], pool);
    measure_growth(pool);
    return 0;
}
