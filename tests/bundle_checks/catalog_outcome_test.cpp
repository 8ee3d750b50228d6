// Covers lib/bundle_checks/catalog_outcome.cpp; tests/cli/test_bundle_predict.py has the command.
#include "../load_text.hpp"
#include "opcat/bundle_checks/catalog_outcome.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace opcat;

namespace {

// Of a bundle with this property, which would succeed by its manifests.
BundleOutcome outcome_with(std::string_view property, OlmGeneration olm) {
    BundleOutcome outcome{.stage = "Succeeded", .problems = {}, .not_checked = {}};
    add_catalog_outcome(
        load_text(
            fmt::format("{{schema: olm.bundle, package: foo, name: foo.v1, image: r.example/foo:v1, "
                        "properties: [{{type: olm.package, value: {{packageName: foo, version: 1.0.0}}}}, "
                        "{}]}}\n",
                        property)),
        olm, outcome);
    return outcome;
}

constexpr std::string_view requires_bar =
    "{type: olm.package.required, value: {packageName: bar, versionRange: '>=1.0.0'}}";

} // namespace

TEST_CASE("what a bundle requires is not known for OLM classic, and refused by OLM v1") {
    const BundleOutcome classic = outcome_with(requires_bar, OlmGeneration::classic);
    CHECK(classic.succeeds());
    REQUIRE(classic.not_checked.size() == 1);
    CHECK(classic.not_checked[0].ends_with("package bar >=1.0.0"));
    CHECK(outcome_as_text(classic, OlmGeneration::classic) ==
          "OLM classic would install the bundle: Succeeded\n  not checked: " + classic.not_checked[0] + "\n");

    const BundleOutcome v1 = outcome_with(requires_bar, OlmGeneration::v1);
    REQUIRE(v1.problems.size() == 1);
    CHECK(v1.problems[0].stage == "ClusterExtension not installed");
    CHECK(outcome_as_json(v1).find("\"succeeds\": false") != std::string::npos);
}

TEST_CASE("a requirement that nothing can meet is a problem for OLM classic") {
    const BundleOutcome outcome =
        outcome_with("{type: olm.package.required, value: {packageName: bar, versionRange: '>2.0.0 <1.0.0'}}",
                     OlmGeneration::classic);
    REQUIRE(outcome.problems.size() == 1);
    CHECK(outcome.problems[0].because == "no version is in this range");
}

TEST_CASE("a bundle that opm cannot render is in no catalog that it makes") {
    BundleOutcome outcome;
    add_catalog_outcome({}, OlmGeneration::v1, outcome);
    CHECK(outcome.not_checked ==
          std::vector<std::string>{"whether a catalog can have the bundle, which opm cannot render"});
}
