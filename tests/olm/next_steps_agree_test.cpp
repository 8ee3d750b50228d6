// The next step of the upgrade graph is the choice of the resolvers: for every installed version of every
// recorded catalog, and of thousands of random ones that break all rules.
#include "../catalog/catalog_text.hpp"
#include "agreement.hpp"
#include "odd_package.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace fs = std::filesystem;
using namespace opcat;
using namespace opcat::test;

namespace {

std::string first_of(const std::vector<std::string>& disagreements) {
    return disagreements.empty() ? "none" : disagreements.front();
}

} // namespace

TEST_CASE("the graph's next step is the resolvers' choice in random packages") {
    ThreadPool pool(1);
    GraphAgainstResolvers comparison;
    for (unsigned seed = 0; seed < 5000; ++seed) {
        Choices choices(seed);
        const std::string yaml = OddPackage(choices).yaml();
        CAPTURE(seed);
        CAPTURE(yaml);
        comparison.ask_about(load_text(yaml), pool);
        REQUIRE(first_of(comparison.disagreements) == "none");
    }
    CHECK(comparison.questions > 50'000);
}

TEST_CASE("the graph's next step is the resolvers' choice in all recorded catalogs" *
          doctest::test_suite("recorded")) {
    const fs::path recorded = fs::path(OPCAT_SHARED) / "conformance/catalogs";
    ThreadPool pool(2);
    GraphAgainstResolvers comparison;
    for (const fs::directory_entry& kind : fs::directory_iterator(recorded)) {
        if (!kind.is_directory()) continue;
        for (const fs::directory_entry& catalog : fs::directory_iterator(kind)) {
            if (!catalog.is_directory()) continue;
            CAPTURE(catalog.path().string());
            comparison.ask_about(load_catalog(catalog.path(), pool), pool);
            CHECK(first_of(comparison.disagreements) == "none");
        }
    }
    CHECK(comparison.packages > 50);
}
