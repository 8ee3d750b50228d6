// Covers lib/policy/operator_repo.cpp and lib/policy/json_schema.cpp and lib/policy/check_catalogs.cpp and
// lib/policy/check_configuration.cpp and lib/policy/check_constraints.cpp and lib/policy/check_fields.cpp and
// lib/policy/check_names.cpp and lib/policy/check_upgrades.cpp and lib/policy/checks_table.cpp and
// lib/policy/policy.cpp.
#include "example_repository.hpp"
#include "opcat/base/error.hpp"
#include "opcat/policy/policy.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::policy;

namespace {

StaticResults check_example(const ExampleRepository& example, Suite suite = Suite::community,
                            std::vector<std::string> waived = {"check_using_fbc"}) {
    const Repository repository(example.path());
    return run_static_checks(repository, {.suite = suite,
                                          .operator_name = "shop",
                                          .bundles = {"1.1.0"},
                                          .catalogs = {"v4.18/shop"},
                                          .waived = std::move(waived)});
}

std::string lines_of_outputs(const StaticResults& results) {
    std::string lines;
    for (const StaticOutput& output : results.outputs)
        lines += fmt::format("{}: {}: {}\n", output.check, to_string(output.severity), output.message);
    return lines;
}

struct ChangedExample {
    std::string file, from, to;
    Suite suite;
    std::string_view expected; // a line's beginning; empty: there is none
};

constexpr const char* csv = "operators/shop/1.1.0/manifests/shop.clusterserviceversion.yaml";
constexpr const char* annotations = "operators/shop/1.1.0/metadata/annotations.yaml";
constexpr const char* ci = "operators/shop/ci.yaml";
constexpr const char* release = "operators/shop/1.1.0/release-config.yaml";
constexpr const char* catalog = "catalogs/v4.18/shop/catalog.yaml";

} // namespace

TEST_CASE("a good operator passes the static tests") {
    const ExampleRepository example;
    CHECK(lines_of_outputs(check_example(example)) == "");
    CHECK(lines_of_outputs(check_example(example, Suite::certified)) == "");
}

TEST_CASE("one change makes one check fail, in the official words") {
    const ChangedExample cases[] = {
        {csv, "displayName: Shop", "displayName: ab", Suite::community,
         "check_required_fields: error: CSV contains an invalid value for spec.displayName"},
        {csv, "support: Example, ", "", Suite::community,
         "check_required_fields: warning: CSV does not define metadata.annotations.support"},
        {csv, "base64data: AAAA", "base64data: AAA", Suite::community,
         "check_required_fields: error: CSV contains an invalid value for spec.icon"},
        {csv, "version: 1.1.0", "version: 1.1.1", Suite::certified,
         "check_operator_version_directory_name: error: Bundle directory name 'shop/1.1.0' does not match "
         "the expected "
         "operator CSV version '1.1.1' from "
         "./operators/shop/1.1.0/manifests/shop.clusterserviceversion.yaml."},
        {csv, "name: shop.v", "name: shopping.v", Suite::certified,
         "check_operator_name: error: Operator name from the CSV (shopping) does not match the name defined "
         "in other "
         "bundles (shop)"},
        {csv, "replaces: shop.v1.0.0", "replaces: shop.v0.9.0", Suite::certified,
         "check_replaces_availability: error: Bundle(shop/1.1.0) attempts to replace version '0.9.0' which "
         "does not exist "
         "in the submitted PR branch. Available versions: ['1.0.0', '1.1.0']."},
        {csv, "replaces: shop.v1.0.0", "replaces: shop.v1.1.0", Suite::community,
         "check_upgrade_graph_loop: error: Upgrade graph loop detected: Bundle(shop/1.1.0) -> "
         "Bundle(shop/1.1.0)"},
        {csv, "  replaces: shop.v1.0.0\n", "", Suite::community,
         "check_dangling_bundles: error: Channel stable has dangling bundles: {Bundle(shop/1.0.0)}"},
        {csv, "  replaces: shop.v1.0.0\n", "  minKubeVersion: 1.26.0\n  skips: [shop.v1.0.0]\n",
         Suite::community,
         "check_api_version_constraints: error: OCP version(s) 4.12 conflict with minKubeVersion=1.26.0"},
        {csv, "metadata:", "metadata: [", Suite::certified,
         "check_network_policy_presence: error: Traceback: "
         "operatorcert.operator_repo.exceptions.OperatorRepoException: "
         "operators/shop/1.1.0/manifests/shop.clusterserviceversion.yaml is not a valid yaml document"},
        {annotations, "package.v1: shop", "package.v1: ''", Suite::certified,
         "check_operator_name: error: Bundle does not define the operator name in annotations.yaml"},
        {annotations, "annotations:", "annotations: [a]\nx:", Suite::certified,
         "check_replaces_availability: error: Traceback: AttributeError: 'list' object has no attribute "
         "'get'"},
        {ci, "replaces-mode", "skips-mode", Suite::certified,
         "check_schema_operator_ci_config: error: Operator's 'ci.yaml' contains invalid data which does not "
         "comply with "
         "the schema: 'skips-mode' is not one of ['replaces-mode', 'semver-mode']"},
        {ci, "updateGraph: replaces-mode\n", "", Suite::community,
         "check_ci_upgrade_graph: error: Traceback: "},
        {ci, "updateGraph: replaces-mode\n", "reviewers: []\n", Suite::community,
         "check_ci_upgrade_graph: warning: The 'updateGraph' option is missing in ci.yaml."},
        {ci, "replaces-mode", "semver-mode\nreviewers: [1, a]", Suite::community,
         "check_schema_operator_ci_config: error: Operator's 'ci.yaml' contains invalid data which does not "
         "comply with "
         "the schema: 1 is not of type 'string'"},
        {ci, "replaces-mode",
         "replaces-mode\nfbc: {catalog_mapping: [{template_name: a, catalog_names: [v4.18], type: "
         "olm.semver}, {template_name: b, catalog_names: [v4.18], type: olm.semver}]}",
         Suite::certified,
         "check_catalog_usage_ci_config: error: Operator's 'ci.yaml' contains multiple templates '['a', "
         "'b']' for the same "
         "catalog 'v4.18'."},
        {release, "", "catalog_templates: [{template_name: a, channels: [a, a]}]", Suite::certified,
         "check_validate_schema_bundle_release_config: error: Bundle's 'release-config.yaml' contains "
         "invalid data which "
         "does not comply with the schema: ['a', 'a'] has non-unique elements"},
        {release, "", "x: 1", Suite::certified,
         "check_bundle_release_config: error: Bundle's 'release-config.yaml' is used but FBC is not enabled"},
        {"operators/shop/1.1.0/manifests/np.yml", "",
         "kind: NetworkPolicy\napiVersion: networking.k8s.io/v1\n", Suite::certified,
         "check_network_policy_presence: error: Bundle contains a NetworkPolicy in np.yml."},
        {catalog, "", "schema: olm.bundle\nproperties: [{type: olm.bundle.object}]\n", Suite::certified,
         "check_olm_bundle_object_in_fbc: error: Bundle object found in OperatorCatalog(v4.18/shop) catalog "
         "uses"},
        {catalog, "", "---\nnull\n", Suite::certified,
         "check_olm_bundle_object_in_fbc: error: Traceback: AttributeError: 'NoneType' object has no "
         "attribute 'get'"},
    };
    for (const ChangedExample& one : cases) {
        CAPTURE(one.to);
        const ExampleRepository example;
        if (one.from.empty())
            example.write(one.file, one.to);
        else
            example.replace(one.file, one.from, one.to);
        const std::string lines = lines_of_outputs(check_example(example, one.suite));
        CAPTURE(lines);
        CHECK(("\n" + lines).find("\n" + std::string(one.expected)) != std::string::npos);
    }
}

TEST_CASE("an operator with fbc.enabled is not asked for an upgrade graph") {
    const ExampleRepository example;
    example.write(ci, "fbc: {enabled: true}\n");
    example.replace(csv, "replaces: shop.v1.0.0", "replaces: nodots");
    CHECK(lines_of_outputs(check_example(example, Suite::community, {})) == "");
}

TEST_CASE("images of catalogs are compared with the allowed registries, which are prefixes") {
    const ExampleRepository example;
    example.write("config.yaml", "allowed_bundle_registries: [quay.io/shop/, registry.example]\n");
    example.write(catalog, "schema: olm.bundle\nimage: quay.io/other/x:1\n---\nschema: olm.bundle\nimage: "
                           "registry.example.com/x:1\n");
    const StaticResults results = check_example(example, Suite::certified);
    CHECK(lines_of_outputs(results) ==
          "check_bundle_images_in_fbc: error: Invalid bundle image(s) found in OperatorCatalog(v4.18/shop): "
          "quay.io/other/x:1. Only these registries are allowed for bundle images: quay.io/shop/, "
          "registry.example.\n");
    CHECK(results.notes.size() == 1); // passed by mistake
}

TEST_CASE("an operator is checked once for all of its bundles") {
    const ExampleRepository example;
    example.write(ci, "reviewers: []\n");
    const Repository repository(example.path());
    const StaticResults results = run_static_checks(
        repository, {.operator_name = "shop", .bundles = {"1.0.0", "1.1.0"}, .waived = {"check_using_fbc"}});
    CHECK(std::count_if(results.outputs.begin(), results.outputs.end(), [](const StaticOutput& output) {
              return output.check == "check_ci_upgrade_graph";
          }) == 1);
}

TEST_CASE("a finding has its place") {
    const ExampleRepository example;
    example.replace(csv, "  displayName: Shop", "  displayName: ab");
    const Repository repository(example.path());
    const StaticResults results = run_static_checks(
        repository, {.operator_name = "shop", .bundles = {"1.1.0"}, .waived = {"check_using_fbc"}});
    REQUIRE(results.outputs.size() == 1);
    const Location where = results.outputs[0].where;
    REQUIRE(where.file);
    CHECK(where.file->line(where.file->position(where.offset).line) == "  displayName: ab");
}

TEST_CASE("what needs a network is said not to be checked") {
    const ExampleRepository example;
    example.replace(annotations, "v4.12", "v4.13");
    const StaticResults results = check_example(example, Suite::certified);
    CHECK(lines_of_outputs(results) == "");
    REQUIRE(results.not_checked.size() == 1);
    CHECK(results.not_checked[0].check == "check_replaces_availability");
    CHECK(check_example(example).not_checked.size() == 3); // operator-sdk, too
}

TEST_CASE("a release configuration that nobody reads is passed by mistake") {
    for (const char* const name : {"release-config.yaml", "release-config.yml"}) {
        const ExampleRepository example;
        example.write(std::string("operators/shop/1.1.0/") + name,
                      name[16] == 'm' ? "x: 1\n" : "# nothing\n");
        const StaticResults results = check_example(example, Suite::certified);
        CHECK(lines_of_outputs(results) == "");
        CHECK(results.notes.size() == 1);
    }
}

TEST_CASE("a link that leads out of the repository is refused") {
    const ExampleRepository example;
    std::filesystem::remove(example.path() / ci);
    std::filesystem::create_symlink("/etc/hostname", example.path() / ci);
    CHECK_THROWS_AS(check_example(example), Error);
}

TEST_CASE("each check that runs is in the table of its policy") {
    for (const Pipeline policy : {Pipeline::community, Pipeline::certified}) {
        const Suite suite = policy == Pipeline::community ? Suite::community : Suite::certified;
        std::vector<std::string> listed;
        for (const CheckInfo& info : checks_of(policy))
            if (info.task == "static-tests") listed.emplace_back(info.name);
        std::vector<std::string> run;
        const auto add = [&](auto checks) {
            for (const auto& check : checks)
                if (check.suite == suite || check.suite == Suite::common) run.emplace_back(check.name);
        };
        add(operator_checks());
        add(bundle_checks());
        add(catalog_checks());
        std::sort(listed.begin(), listed.end());
        std::sort(run.begin(), run.end());
        CHECK(listed == run);
    }
}
