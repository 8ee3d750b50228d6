// How long OLM classic's resolution of a namespace takes: 40 Subscriptions over all given
// catalogs.
#include "opcat/catalog/load.hpp"
#include "opcat/resolve/classic/reasoning.hpp"
#include "opcat/resolve/classic/resolve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <thread>

using namespace opcat;
using namespace opcat::classic;

namespace {

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Subscription subscription_to(const Package& package, const CatalogKey& key) {
    Subscription made;
    made.ns = "ns";
    made.name = package.name;
    made.package = package.name;
    made.channel = package.default_channel;
    made.source = key.name;
    made.source_namespace = key.ns;
    return made;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: resolve_classic_bench DIRECTORY…\n");
        return 2;
    }
    ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
    std::deque<Catalog> catalogs;
    std::vector<AvailableCatalog> available;
    ClusterState cluster;
    cluster.operator_groups.emplace_back();
    cluster.operator_groups.back().ns = "ns";
    const double loading = seconds_of([&] {
        for (int i = 1; i < argc; ++i)
            catalogs.push_back(load_catalog(std::filesystem::path(argv[i]), pool).catalog);
    });
    const double indexing = seconds_of([&] {
        for (size_t i = 0; i < catalogs.size(); ++i) {
            const CatalogKey key{"olm", fmt::format("catalog-{}", i + 1)};
            available.push_back({key, catalog_snapshot(key, catalogs[i]), {}});
            CatalogSource source;
            source.ns = key.ns;
            source.name = key.name;
            cluster.catalog_sources.push_back(std::move(source));
        }
    });
    // Packages that can be installed together: those that cannot, which many catalogs have, are left out
    // again.
    constexpr size_t wanted = 40;
    const Request request{"ns", "olm", &cluster, available};
    size_t refused = 0;
    for (size_t p = 0; cluster.subscriptions.size() < wanted; ++p) {
        bool any = false;
        for (size_t i = 0; i < catalogs.size() && cluster.subscriptions.size() < wanted; ++i) {
            const size_t step = std::max<size_t>(1, catalogs[i].packages.size() / wanted);
            if (p * step >= catalogs[i].packages.size()) continue;
            any = true;
            cluster.subscriptions.push_back(
                subscription_to(catalogs[i].packages[p * step], available[i].key));
            if (resolve(request).error.empty()) continue;
            cluster.subscriptions.pop_back();
            ++refused;
        }
        if (!any) break;
    }
    Resolution resolution;
    constexpr int times = 10;
    const double resolving = seconds_of([&] {
        for (int i = 0; i < times; ++i) resolution = resolve(request);
    });
    size_t entries = 0;
    for (const AvailableCatalog& catalog : available) entries += catalog.snapshot->entries.size();
    fmt::print("load {:.3f} s, index {:.3f} s ({} channel entries)\n", loading, indexing, entries);
    fmt::print("{} Subscriptions, {} operators, {} variables ({} packages left out): {:.3f} s{}\n",
               cluster.subscriptions.size(), resolution.operators.size(),
               resolution.reasoning->problem.variables.size(), refused, resolving / times,
               resolution.error.empty() ? "" : ", and it fails: " + resolution.error);
}
