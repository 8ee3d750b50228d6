#include "opcat/policy/policy.hpp"

#include <algorithm>
#include <iterator>

namespace opcat::policy {
namespace {

constexpr std::string_view from_image =
    "it is about the image of the fragment and its base image, and here is only the catalog";
constexpr std::string_view from_registry = "it asks a registry";
constexpr std::string_view from_pyxis = "it asks catalog.redhat.com";

constexpr CheckInfo konflux_checks[] = {
    {"deprecated-image-check", "deprecated-image-check", "the base image is not deprecated", from_registry,
     ""},
    {fragment_task, "base-image",
     "the base image is an operator registry of OpenShift, with a version as its tag and "
     "exactly one opm",
     from_image, ""},
    {fragment_task, "configs-label",
     "the image has the label operators.operatorframework.io.index.configs.v1", from_image, ""},
    {fragment_task, "grpc_health_probe", "the image has a file grpc_health_probe", from_image, ""},
    {fragment_task, "folders", "each package has a folder, and none is empty", "", ""},
    {fragment_task, "opm-validate", "opm accepts the catalog", "", ""},
    {fragment_task, "opm-render", "opm renders the catalog; otherwise the task ends with ERROR", "", ""},
    {fragment_task, "package", "the fragment has a package", "", ""},
    {fragment_task, "metadata-forbidden",
     "no olm.bundle.object for OpenShift 4.17 and later, no olm.csv.metadata before", "", ""},
    {fragment_task, "metadata-required",
     "as many olm.csv.metadata as bundles for OpenShift 4.17 and later, at least as many olm.bundle.object "
     "before",
     "", ""},
    {fragment_task, "pinned", "bundle images are named by their digests", "", ""},
    {fragment_task, "registry", "bundle images are in registry.redhat.io or registry.stage.redhat.io", "",
     ""},
    {fragment_task, "related-images",
     "the target index can be rendered, for the related images that it lacks", from_registry, ""},
    {pruning_task, "pruning", "no channel and no entry of the target index is missing", "", ""},
    {"fbc-fips-check-oci-ta", "fips", "the related images of new bundles are built for FIPS", from_registry,
     ""},
};

// Their findings have rules of their own, which say what to change.
constexpr CheckInfo readiness_checks[] = {
    {readiness_task, "v1-install-modes", "the bundle supports AllNamespaces, or what the feature set allows",
     "", ""},
    {readiness_task, "v1-dependencies", "the bundle requires no other bundle and no API", "", ""},
    {readiness_task, "v1-api-services", "the bundle brings no API service", "", ""},
    {readiness_task, "v1-webhooks", "the release supports the webhooks of the bundle", "", ""},
    {readiness_task, "v1-objects", "OLM v1 and the API server accept the objects of the bundle", "", ""},
    {readiness_task, "v1-operator-conditions", "the operator needs no OperatorCondition", "", ""},
    {readiness_task, "v1-classic-api", "the operator uses no objects of OLM classic", "", ""},
    {readiness_task, "v1-subscription-config", "the operator needs no values from a Subscription", "", ""},
    {readiness_task, "v1-crd-upgrade", "OLM v1 lets each definition replace the one before", "", ""},
    {readiness_task, "v1-shared-kind", "no other package brings the same kind", "", ""},
};

constexpr CheckInfo change_checks[] = {
    {changes_task, "check_added_bundles", "at most one bundle is added, and none deleted at the same time",
     "", "split the change into one pull request for each bundle"},
    {changes_task, "check_affected_catalog_operators", "bundles and catalogs do not change together", "",
     "send the bundle first, and its catalogs in a second pull request"},
    {changes_task, "check_affected_operators", "bundles of one operator only change", "",
     "split the change into one pull request for each operator"},
    {changes_task, "check_deleted_bundles",
     "bundles are deleted only from operators with fbc.enabled, and not while a catalog has them", "",
     "remove the bundle from the catalogs first, or keep it"},
    {changes_task, "check_extra_files", "only files of operators and catalogs change", "",
     "leave out the files that belong to no operator and no catalog"},
    {changes_task, "check_modified_bundles", "no file of an existing bundle changes", "",
     "add a new version of the bundle instead"},
    {"yaml-lint", "yaml-lint", "yamllint accepts the files of the bundle", "yamllint is another program", ""},
    {"check-permissions", "check-permissions", "the author may change the operator", "it asks GitHub", ""},
};

struct StaticInfo {
    Suite suite;
    CheckInfo info;
};

constexpr StaticInfo static_infos[] = {
    {Suite::community,
     {static_tests_task, "check_ci_upgrade_graph", "ci.yaml has a valid updateGraph", "",
      "write `updateGraph: replaces-mode` or `updateGraph: semver-mode` into ci.yaml"}},
    {Suite::community,
     {static_tests_task, "check_operator_name_unique", "all bundles have one operator name in their CSVs", "",
      "give the CSV the name that the other bundles have"}},
    {Suite::community,
     {static_tests_task, "check_upgrade_graph_loop", "upgrades have no cycle", "",
      "remove one of the edges: replaces, skips or olm.skipRange"}},
    {Suite::community,
     {static_tests_task, "check_api_version_constraints",
      "all OpenShift versions of the bundle have its minKubeVersion", "",
      "raise com.redhat.openshift.versions, or lower spec.minKubeVersion"}},
    {Suite::community,
     {static_tests_task, "check_dangling_bundles",
      "each bundle of a channel but its head is updated from by another", "",
      "let a newer bundle name it in replaces, skips or olm.skipRange"}},
    {Suite::community,
     {static_tests_task, "check_osdk_bundle_validate_operator_framework",
      "operator-sdk accepts the bundle with suite=operatorframework", from_pyxis, ""}},
    {Suite::community,
     {static_tests_task, "check_osdk_bundle_validate_operatorhub",
      "operator-sdk accepts the bundle with name=operatorhub", from_pyxis, ""}},
    {Suite::community,
     {static_tests_task, "check_required_fields", "the CSV has what OperatorHub shows", "",
      "write the field into the CSV"}},
    {Suite::community,
     {static_tests_task, "check_using_fbc", "the operator uses file-based catalogs", "",
      "set fbc.enabled in ci.yaml, and add catalogs"}},
    {Suite::certified,
     {static_tests_task, "check_marketplace_annotation",
      "bundles of redhat-marketplace have its two annotations", "", "write the expected value"}},
    {Suite::certified,
     {static_tests_task, "check_pruned_graph", "olm.skipRange does not come without replaces", "",
      "name the bundle that this one replaces"}},
    {Suite::common,
     {static_tests_task, "check_catalog_usage_ci_config", "each catalog is made of one template", "",
      "name each catalog once in fbc.catalog_mapping"}},
    {Suite::common,
     {static_tests_task, "check_schema_operator_ci_config", "ci.yaml fits its schema", "",
      "correct the value as the schema says: schemas/policy/ci.json"}},
    {Suite::common,
     {static_tests_task, "check_bundle_release_config", "release-config.yaml fits ci.yaml", "",
      "name templates that fbc.catalog_mapping has"}},
    {Suite::common,
     {static_tests_task, "check_network_policy_presence", "the bundle has no NetworkPolicy", "",
      "remove the NetworkPolicy from the bundle"}},
    {Suite::common,
     {static_tests_task, "check_operator_name", "CSV, annotations and directory have one name", "",
      "use one name in annotations.yaml, the CSV and the directory"}},
    {Suite::common,
     {static_tests_task, "check_operator_version_directory_name",
      "the directory has the name of the CSV's spec.version", "",
      "rename the directory, or correct spec.version"}},
    {Suite::common,
     {static_tests_task, "check_replaces_availability",
      "the replaced bundle is there, for the same OpenShift versions", "",
      "name a bundle of this repository in spec.replaces"}},
    {Suite::common,
     {static_tests_task, "check_validate_schema_bundle_release_config", "release-config.yaml fits its schema",
      "", "correct the value as the schema says: schemas/policy/release-config.json"}},
    {Suite::common,
     {static_tests_task, "check_bundle_images_in_fbc", "catalogs name bundle images in allowed registries",
      "", "push the bundle to an allowed registry, and name it there"}},
    {Suite::common,
     {static_tests_task, "check_olm_bundle_object_in_fbc",
      "catalogs for OpenShift 4.17 and later have no olm.bundle.object", "",
      "write the catalog with `opcat migrate`"}},
};

constexpr CheckInfo catalog_format = {catalogs_task, catalogs_task, "opm accepts the changed catalogs", "",
                                      "correct what opm refuses"};

} // namespace

std::string_view to_string(Pipeline policy) {
    return policy_names[static_cast<size_t>(policy)];
}

Pipeline pipeline_named(std::string_view name) {
    return static_cast<Pipeline>(std::find(std::begin(policy_names), std::end(policy_names), name) -
                                 std::begin(policy_names));
}

std::string_view upstream_of(Pipeline policy) {
    if (policy == Pipeline::olm_v1)
        return "operator-framework/operator-controller v1.0 to v1.11 (docs/spec/resolution-v1.md)";
    return policy == Pipeline::konflux
               ? "konflux-ci/konflux-operator-tasks dee7049a, konflux-ci/konflux-test 26e8deb3"
               : "redhat-openshift-ecosystem/operator-pipelines 422dfd6e";
}

std::vector<CheckInfo> checks_of(Pipeline policy) {
    if (policy == Pipeline::olm_v1) {
        return {std::begin(readiness_checks), std::end(readiness_checks)};
    }
    if (policy == Pipeline::konflux) return {std::begin(konflux_checks), std::end(konflux_checks)};
    std::vector<CheckInfo> checks(std::begin(change_checks), std::end(change_checks));
    const Suite suite = policy == Pipeline::community ? Suite::community : Suite::certified;
    for (const auto& [of, info] : static_infos)
        if (of == suite || of == Suite::common) checks.push_back(info);
    checks.push_back(catalog_format);
    return checks;
}

} // namespace opcat::policy
