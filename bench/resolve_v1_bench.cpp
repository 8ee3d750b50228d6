// How many requests of OLM v1 are answered per second: every bundle of a catalog as the installed one, with
// and without a range.
#include "opcat/catalog/load.hpp"
#include "opcat/resolve/v1/resolver.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

using namespace opcat;
using namespace opcat::olmv1;

namespace {

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Request> requests_for(const CatalogIndex& index) {
    std::vector<Request> requests;
    for (const std::string_view name : index.package_names()) {
        for (const PackageBundle& bundle : index.find(name)->bundles) {
            Request request;
            request.package = name;
            request.installed = as_installed(bundle, false);
            requests.push_back(request);
            request.version = ">=1.0.0 <99";
            requests.push_back(std::move(request));
        }
    }
    return requests;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: resolve_v1_bench DIRECTORY\n");
        return 2;
    }
    ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
    LoadedCatalog loaded;
    const double loading = seconds_of([&] { loaded = load_catalog(std::filesystem::path(argv[1]), pool); });
    std::unique_ptr<CatalogIndex> index;
    const double indexing =
        seconds_of([&] { index = std::make_unique<CatalogIndex>(std::move(loaded.catalog)); });
    const std::vector<NamedCatalog> catalogs = {{"catalog", index.get(), 0, {}, false}};
    const std::vector<Request> requests = requests_for(*index);
    const double resolving = seconds_of(
        [&] { pool.for_each(requests.size(), [&](size_t i) { (void)resolve(requests[i], catalogs); }); });
    fmt::print("load {:.3f} s, index {:.3f} s; {} requests in {:.3f} s on {} threads: {:.0f} a second\n",
               loading, indexing, requests.size(), resolving, pool.threads(),
               static_cast<double>(requests.size()) / resolving);
}
