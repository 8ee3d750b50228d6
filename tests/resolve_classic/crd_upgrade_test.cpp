// "CRD upgrade" of OLM concepts (2.4.4.6) and of "Dependency Resolution and Upgrades".
#include "opcat/resolve/classic/preflight.hpp"
#include "world.hpp"

using namespace opcat;
using namespace opcat::classic;

namespace {

std::string crd(std::string_view versions, std::string_view stored) {
    return fmt::format(
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: "
        "ks.example.com}}\nspec: {{group: example.com, names: {{kind: K}}, versions: [{}]}}\nstatus: "
        "{{storedVersions: [{}]}}\n",
        versions, stored);
}

std::string version(std::string_view name, bool served, std::string_view schema = "type: object") {
    return fmt::format("{{name: {}, served: {}, schema: {{openAPIV3Schema: {{{}}}}}}}, ", name, served,
                       schema);
}

// Rules and severities of the findings.
std::string check(const std::string& current, const std::string& wanted, size_t owners,
                  const std::string& instances = {}) {
    World world;
    world.manifests(current + wanted + instances);
    Diagnostics findings;
    check_crd_upgrade(world.cluster.crds[0], world.cluster.crds[1], world.cluster.others, owners, findings);
    std::string text;
    for (const Diagnostic& d : findings)
        text += fmt::format("{}{} {}", text.empty() ? "" : "; ", to_string(d.severity), d.rule);
    return text;
}

} // namespace

TEST_CASE("a version is added to a CRD") {
    CHECK(check(crd(version("v1alpha1", true), "v1alpha1"),
                crd(version("v1alpha1", true) + version("v1beta1", true), "v1alpha1"), 2)
              .empty());
}

TEST_CASE("a version of a CRD is removed in two steps") {
    const std::string both = crd(version("v1alpha1", true) + version("v1beta1", true), "v1beta1");
    const std::string unserved = crd(version("v1alpha1", false) + version("v1beta1", true), "v1beta1");
    const std::string gone = crd(version("v1beta1", true), "v1beta1");
    CHECK(check(both, unserved, 2).empty());
    CHECK(check(unserved, gone, 2).empty());
    CHECK(check(both, gone, 2) == "error classic-crd-served-version");
    CHECK(check(both, gone, 1) == "warning classic-crd-served-version");
}

TEST_CASE("a version with stored objects must not be removed") {
    CHECK(check(crd(version("v1alpha1", false) + version("v1beta1", true), "v1alpha1, v1beta1"),
                crd(version("v1beta1", true), ""), 1) == "error classic-crd-stored-version");
}

TEST_CASE("existing objects must be valid against the new schema") {
    const std::string old = crd(version("v1", true), "v1");
    const std::string stricter = crd(
        version("v1", true,
                "type: object, properties: {spec: {type: object, required: [size], properties: {size: {type: "
                "integer, maximum: 5}}}}"),
        "v1");
    const auto instance = [](std::string_view spec) {
        return fmt::format("---\napiVersion: example.com/v1\nkind: K\nmetadata: {{name: a, namespace: "
                           "ns}}\nspec: {{{}}}\n",
                           spec);
    };
    CHECK(check(old, stricter, 2, instance("size: 3")).empty());
    CHECK(check(old, stricter, 2, instance("size: 6")) == "error classic-crd-instance");
    CHECK(check(old, stricter, 1, instance("size: 6")) == "warning classic-crd-instance");
    CHECK(check(old, stricter, 2, instance("other: 1")) == "error classic-crd-instance");
    // Behind a version that is new, and one without a schema.
    CHECK(check(crd(version("v1", true) + version("v0", true), "v1"),
                crd(version("v00", true) + "{name: v0, served: true}, " +
                        version("v1", true,
                                "type: object, properties: {spec: {type: object, required: [size]}}"),
                    "v1"),
                2, instance("other: 1")) == "error classic-crd-instance");
    // Of another kind, of another group.
    CHECK(check(old, stricter, 2, "---\napiVersion: example.com/v1\nkind: L\nspec: {size: 6}\n").empty());
    CHECK(check(old, stricter, 2, "---\napiVersion: other.com/v1\nkind: K\nspec: {size: 6}\n").empty());
}
