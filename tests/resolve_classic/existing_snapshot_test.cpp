#include "world.hpp"

#include <algorithm>

using namespace opcat;
using namespace opcat::classic;

namespace {

std::string csv(std::string_view name, std::string_view metadata, std::string_view spec = {},
                std::string_view status = {}) {
    return fmt::format(
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: "
        "{{namespace: ns, name: {}, {}}}\nspec: {{{}}}\nstatus: {{{}}}\n",
        name, metadata, spec, status);
}

// Names, packages and properties of the operators that the resolver treats as installed; or the error.
std::string seen(const std::string& manifests) {
    World world;
    world.manifests(manifests);
    const auto snapshot = existing_snapshot("ns", world.cluster);
    std::string text = snapshot->error;
    for (const Entry& entry : snapshot->entries) {
        text += fmt::format("{}{} {} [{}]", text.empty() ? "" : "; ", entry.name, entry.version_text(),
                            entry.package);
        for (const EntryProperty& p : entry.facts->properties) text += fmt::format(" {}", p.type);
    }
    return text;
}

} // namespace

TEST_CASE("copies are not installed operators") {
    CHECK(seen(csv("a", "")) == "a 0.0.0 []");
    CHECK(seen(csv("a", "", "", "reason: Copied")).empty());
    CHECK(seen(csv("a", "annotations: {olm.operatorNamespace: home}")).empty());
    CHECK(seen(csv("a", "annotations: {olm.operatorNamespace: ''}")).empty());
    CHECK(seen(csv("a", "annotations: {olm.operatorNamespace: ns}")) == "a 0.0.0 []");
    CHECK(seen(csv("a", "labels: {olm.copiedFrom: home}")).empty());
}

TEST_CASE("properties come from the annotation, and only from it") {
    CHECK(seen(csv(
              "a",
              "annotations: {operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.package\","
              "\"value\":{\"packageName\":\"x\",\"version\":\"2.0.0\"}}]}'}",
              "version: 1.0.0, customresourcedefinitions: {owned: [{name: ks.example.com, version: v1, kind: "
              "K}]}")) == "a 1.0.0 [x] olm.package");
    CHECK(seen(csv(
              "a",
              "annotations: {operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.package\","
              "\"value\":{\"packageName\":\"x\",\"PackageName\":\"y\"}}]}'}")) == "a 0.0.0 [y] olm.package");
    CHECK(seen(csv("a", "annotations: {operatorframework.io/properties: '{'}")) ==
          "failed to retrieve properties of csv \"a\": failed to unmarshal properties annotation: unexpected "
          "end of "
          "JSON input");
    for (const auto& [annotation, why] :
         {std::pair("[]", "array into Go value of type projection.propertiesAnnotation"),
          std::pair(
              "{\"properties\":1}",
              "number into Go struct field propertiesAnnotation.properties of type []projection.property"),
          std::pair(
              "{\"properties\":[1]}",
              "number into Go struct field propertiesAnnotation.properties of type projection.property"),
          std::pair("{\"properties\":[{\"type\":1}]}",
                    "number into Go struct field property.properties.type of type string")})
        CHECK(seen(csv("a",
                       fmt::format("annotations: {{operatorframework.io/properties: '{}'}}", annotation))) ==
              fmt::format(
                  "failed to retrieve properties of csv \"a\": failed to unmarshal properties annotation: "
                  "json: cannot unmarshal {}",
                  why));
    CHECK(seen(csv("a", "annotations: {operatorframework.io/properties: ''}")) ==
          "failed to retrieve properties of csv \"a\": failed to unmarshal properties annotation: unexpected "
          "end of "
          "JSON input");
}

TEST_CASE("a property whose value has another shape is left out, the others count") {
    CHECK(seen(csv("a", "annotations: {operatorframework.io/properties: '{\"properties\":["
                        "{\"type\":\"olm.package\",\"value\":\"text\"},"
                        "{\"type\":\"olm.package\",\"value\":{\"packageName\":\"x\"}}]}'}")) ==
          "a 0.0.0 [x] olm.package olm.package");
}

TEST_CASE("the version of a CSV becomes that of its package, unless it is missing or 0.0.0") {
    const auto package_version = [](std::string_view spec) {
        World world;
        world.manifests(csv("a", "", spec));
        world.subscription("x", "stable", "a");
        const auto snapshot = existing_snapshot("ns", world.cluster);
        REQUIRE(snapshot->entries.size() == 1);
        const auto& packages = snapshot->entries[0].facts->packages;
        REQUIRE(packages.size() == 1);
        return packages[0].version ? packages[0].version->to_string() : std::string("none");
    };
    CHECK(package_version("version: 1.0.0") == "1.0.0");
    CHECK(package_version("") == "none");
    CHECK(package_version("version: 0.0.0") == "none");
}

TEST_CASE("without the annotation properties come from the APIs and the Subscription") {
    const std::string apis = "version: 1.0.0, customresourcedefinitions: {owned: [{name: ks.example.com, "
                             "version: v1, kind: K}], required: "
                             "[{name: ls.example.com, version: v1, kind: L}]}, apiservicedefinitions: "
                             "{owned: [{group: example.com, name: "
                             "ms, version: v1, kind: M}]}";
    const std::string owner =
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {namespace: "
        "ns, name: s}\nspec: {name: x}\nstatus: {installedCSV: a}\n";
    CHECK(seen(csv("a", "", apis)) == "a 1.0.0 [] olm.gvk olm.gvk olm.gvk.required");
    CHECK(seen(csv("a", "", apis) + owner) == "a 1.0.0 [x] olm.gvk olm.gvk olm.gvk.required olm.package");
    // Two packages: OLM does not know which.
    std::string another = owner;
    another.replace(another.find("name: s"), 7, "name: t");
    another.replace(another.find("name: x"), 7, "name: z");
    CHECK(seen(csv("a", "", apis) + owner + another) == "a 1.0.0 [] olm.gvk olm.gvk olm.gvk.required");
    CHECK(
        seen(csv("a", "", "customresourcedefinitions: {required: [{name: nodot, version: v1, kind: L}]}")) ==
        "error parsing crd name: nodot");
    // The name of a CRD is checked even if nothing else is.
    CHECK(seen(csv("a", "annotations: {operatorframework.io/properties: '{}'}",
                   "customresourcedefinitions: {owned: [{name: nodot, version: v1, kind: L}]}")) ==
          "error parsing crd name: nodot");
}

TEST_CASE("fail-forward follows `replaces`, and requires all CSVs on the path to be replacing") {
    const auto forward = [](const std::string& csvs) {
        World world;
        world.cluster.operator_groups.clear();
        world.manifests(World::group("another", "g") +
                        World::group("ns", "g", "spec: {upgradeStrategy: TechPreviewUnsafeFailForward}") +
                        csvs);
        const auto snapshot = existing_snapshot("ns", world.cluster);
        std::string text = snapshot->error;
        for (const Entry& entry : snapshot->entries) text += entry.name;
        return text;
    };
    CHECK(forward(csv("a", "", "", "phase: Replacing") + csv("b", "", "replaces: a", "phase: Failed")) ==
          "b");
    CHECK(forward(csv("a", "", "", "phase: Replacing") + csv("b", "", "replaces: a", "phase: Succeeded")) ==
          "ab");
    CHECK(forward(csv("a", "", "", "phase: Replacing") + csv("b", "", "replaces: a", "phase: Replacing") +
                  csv("c", "", "replaces: b", "phase: Failed")) == "c");
    CHECK(forward(csv("a", "", "", "phase: Succeeded") + csv("b", "", "replaces: a", "phase: Failed")) ==
          "csv ns/a in phase Succeeded instead of Replacing");
    CHECK(forward(csv("a", "", "replaces: b", "phase: Replacing") +
                  csv("b", "", "replaces: a", "phase: Replacing")) == "csv ns/a has already been seen");
}
