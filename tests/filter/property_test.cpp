// The promises of filtering, for real and generated catalogs and many selections. Covers lib/filter.
#include "promises.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace opcat;
using namespace opcat::test;
namespace fs = std::filesystem;

namespace {

std::string first_of(const std::vector<std::string>& broken) {
    return broken.empty() ? "none" : broken.front();
}

void check_directory(const fs::path& directory, unsigned rounds, ThreadPool& pool, FilterPromises& promises) {
    const LoadedCatalog loaded = load_catalog(directory, pool);
    if (!is_valid(loaded, pool)) return;
    Choices choices(7);
    for (const PackageIndex& package : index_packages(loaded.catalog)) {
        if (package.packages.empty()) continue;
        for (unsigned round = 0; round < rounds; ++round) {
            const Selection selection = some_selection(package, choices);
            INFO(directory.string(), ": ", describe(selection));
            promises.ask_about(loaded, selection, pool);
            REQUIRE(first_of(promises.broken) == "none");
        }
    }
}

} // namespace

TEST_CASE("every selection of a package with odd edges is valid, and keeps its upgrade paths") {
    ThreadPool pool(1);
    FilterPromises promises;
    Choices choices(11);
    for (int round = 0; round < 60000 && promises.cases < 4000; ++round) {
        const std::string text = package_with_odd_edges(choices);
        const LoadedCatalog loaded = load_text(text);
        if (!is_valid(loaded, pool)) continue;
        const std::vector<PackageIndex> packages = index_packages(loaded.catalog);
        for (int i = 0; i < 3; ++i) {
            const Selection selection = some_selection(packages.front(), choices);
            INFO(text, describe(selection));
            promises.ask_about(loaded, selection, pool);
            REQUIRE(first_of(promises.broken) == "none");
        }
    }
    MESSAGE(promises.summary());
    CHECK(promises.cases > 1000);
}

TEST_CASE("every selection of a real catalog is valid, and keeps its upgrade paths" *
          doctest::test_suite("recorded")) {
    const fs::path catalogs = fs::path(OPCAT_SHARED) / "conformance/catalogs";
    ThreadPool pool(2);
    FilterPromises promises;
    for (const char* kind : {"certified", "community"})
        for (const auto& version : fs::directory_iterator(catalogs / kind))
            for (const auto& package : fs::directory_iterator(version.path()))
                check_directory(package.path(), 12, pool, promises);
    MESSAGE(promises.summary());
    CHECK(promises.cases > 100);
    CHECK(promises.given_up == 0);
    CHECK(promises.lost_over_channels == 0);
}
