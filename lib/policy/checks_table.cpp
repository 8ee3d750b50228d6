#include "opcat/policy/policy.hpp"

#include <algorithm>
#include <iterator>

namespace opcat::policy {
namespace {

constexpr std::string_view from_image =
    "it is about the image of the fragment: name an image or a layout, or its --dockerfile";
constexpr std::string_view from_built_image =
    "it is about the files of the image: name the image or a layout of it";
constexpr std::string_view from_index = "a target index (--target-index) is not given, or cannot be read";
constexpr std::string_view from_registry = "it asks a registry";

constexpr CheckInfo konflux_checks[] = {
    {"deprecated-image-check", "deprecated-image-check", "the base image is not deprecated", from_registry,
     ""},
    {fragment_task, "base-image",
     "the base image is an operator registry of OpenShift, with a version as its tag, or the image has "
     "versions "
     "in the label com.redhat.fbc.openshift.version",
     from_image, ""},
    {fragment_task, "configs-label",
     "the image has the label operators.operatorframework.io.index.configs.v1", from_image, ""},
    {fragment_task, "opm", "the base image has exactly one opm", from_built_image, ""},
    {fragment_task, "grpc_health_probe", "the image has a file grpc_health_probe", from_built_image, ""},
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
     "the target index can be rendered, for the related images that it lacks", from_index, ""},
    {pruning_task, "pruning", "no channel and no entry of the target index is missing", "", ""},
    {conforma_task, "olm.unpinned_related_images",
     "related images that the target index lacks are named by their digests", from_index, ""},
    {conforma_task, "olm.allowed_registries_related",
     "related images that the target index lacks are in allowed registries",
     "no registries are given: --allowed-registry, and --target-index", ""},
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

constexpr CheckInfo before_static_tests[] = {
    {"yaml-lint", "yaml-lint", "yamllint accepts the files of the bundle", "yamllint is another program", ""},
    {"check-permissions", "check-permissions", "the author may change the operator", "it asks GitHub", ""},
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
    std::vector<CheckInfo> checks;
    for (const ChangeCheck& check : change_checks)
        checks.push_back({changes_task, check.name, check.what, "", check.fix});
    checks.insert(checks.end(), std::begin(before_static_tests), std::end(before_static_tests));
    const auto add = [&](Suite suite, auto all) {
        for (const auto& check : all)
            if (check.suite == suite)
                checks.push_back({static_tests_task, check.name, check.what, check.not_here, check.fix});
    };
    for (const Suite suite :
         {policy == Pipeline::community ? Suite::community : Suite::certified, Suite::common}) {
        add(suite, operator_checks());
        add(suite, bundle_checks());
        add(suite, catalog_checks());
    }
    checks.push_back(catalog_format);
    return checks;
}

} // namespace opcat::policy
