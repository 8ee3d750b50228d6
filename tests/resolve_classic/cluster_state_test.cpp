#include "opcat/base/base64.hpp"
#include "world.hpp"

#include <fmt/format.h>

using namespace opcat;
using namespace opcat::classic;

namespace {

struct Read {
    ClusterState cluster;
    Diagnostics findings;
};

Read read(std::string_view yaml) {
    Read result;
    read_manifests(std::make_shared<SourceFile>("cluster.yaml", yaml), result.cluster, result.findings);
    return result;
}

std::string names(const auto& objects) {
    std::string text;
    for (const auto& object : objects) text += (text.empty() ? "" : " ") + std::string(object.name);
    return text;
}

std::string object(std::string_view api_version, std::string_view kind, std::string_view name,
                   std::string_view more = {}) {
    return fmt::format("---\napiVersion: {}\nkind: {}\nmetadata: {{name: {}, namespace: ns}}\n{}\n",
                       api_version, kind, name, more);
}

std::string manifest_property(std::string_view manifest) {
    return fmt::format(", {{type: olm.bundle.object, value: {{data: {}}}}}", encode_base64(manifest));
}

// The facts of a bundle with these further properties.
template <typename Facts>
auto of_bundle(std::string_view properties, Facts facts) {
    const LoadedCatalog loaded = load_text(bundle_yaml("red", "red.v1", "1.0.0", properties));
    REQUIRE(loaded.catalog.bundles.size() == 1);
    return facts(loaded.catalog.bundles[0]);
}

} // namespace

TEST_CASE("a field of another type than the API server accepts is refused, wherever it is read") {
    const std::string olm = "operators.coreos.com/v1alpha1";
    struct Case {
        std::string object, said;
    };
    const Case cases[] = {
        {object("config.openshift.io/v1", "ClusterVersion", "v",
                "status: {conditions: [{type: Upgradeable, status: False}]}"),
         "status.conditions.status is not a string"},
        {object("operators.coreos.com/v2", "OperatorCondition", "v",
                "spec: {conditions: [{type: Upgradeable, status: False}]}"),
         "spec.conditions.status is not a string"},
        {object("operators.coreos.com/v2", "OperatorCondition", "v",
                "spec: {overrides: {type: Upgradeable}}"),
         "spec.overrides is not a list"},
        {object("operators.coreos.com/v2", "OperatorCondition", "v", "status: {conditions: {a: b}}"),
         "status.conditions is not a list"},
        {object(olm, "Subscription", "v", "status: {conditions: [{type: ResolutionFailed, status: True}]}"),
         "status.conditions.status is not a string"},
        {object(olm, "Subscription", "v", "status: {installedCSV: 1.0}"),
         "status.installedCSV is not a string"},
        {object(olm, "InstallPlan", "v", "spec: {approved: 'false'}"),
         "spec.approved is neither true nor false"},
        {object(olm, "InstallPlan", "v", "spec: {clusterServiceVersionNames: foo}"),
         "spec.clusterServiceVersionNames is not a list of strings"},
        {object("operators.coreos.com/v1", "OperatorGroup", "v", "spec: {serviceAccountName: [a]}"),
         "spec.serviceAccountName is not a string"},
        {"---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: v\n"
         "  annotations: {operatorframework.io/properties: {properties: []}}\n",
         "metadata.annotations.operatorframework.io/properties is not a string"},
        {"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: v, labels: {a: true}}\n",
         "metadata.labels.a is not a string"},
        {"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: v, labels: [a]}\n",
         "metadata.labels is not a mapping"},
        {"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: 1}\n", "metadata.name is not a string"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.object);
        const Diagnostics found = read(c.object).findings;
        REQUIRE(found.size() == 1);
        CHECK(found[0].rule == "manifest");
        CHECK(found[0].message.find(c.said + ", which the API server refuses") != std::string::npos);
    }
    // The conditions of a custom resource are its own.
    CHECK(
        read(object("example.com/v1", "Thing", "v", "status: {conditions: {ready: true}}")).findings.empty());
    CHECK(read(object(olm, "Subscription", "v", "status: {conditions: null, installedCSV: null}"))
              .findings.empty());
}

TEST_CASE("objects are recognised by their kind and group") {
    const std::string olm = "operators.coreos.com/v1alpha1";
    const Read all =
        read(object(olm, "CatalogSource", "source", "spec: {priority: -3}") +
             object(olm, "Subscription", "sub") + object(olm, "ClusterServiceVersion", "csv") +
             object("operators.coreos.com/v1", "OperatorGroup", "group") +
             object("operators.coreos.com/v2", "OperatorCondition", "condition") +
             object(olm, "InstallPlan", "plan") + object("operators.coreos.com/v1", "OLMConfig", "config") +
             object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "crd") +
             object("v1", "Namespace", "apps") +
             // Others of the same kinds, and of the same group.
             object("example.com/v1", "Namespace", "other-namespace") + object("v1", "ConfigMap", "map") +
             object("example.com/v1", "Subscription", "other-subscription") + object(olm, "Gizmo", "gizmo"));
    CHECK(all.findings.empty());
    CHECK(names(all.cluster.catalog_sources) == "source");
    CHECK(all.cluster.catalog_sources.at(0).priority == -3);
    CHECK(names(all.cluster.subscriptions) == "sub");
    CHECK(names(all.cluster.csvs) == "csv");
    CHECK(names(all.cluster.operator_groups) == "group");
    CHECK(names(all.cluster.operator_conditions) == "condition");
    CHECK(names(all.cluster.install_plans) == "plan");
    CHECK(names(all.cluster.olm_configs) == "config");
    CHECK(names(all.cluster.crds) == "crd");
    CHECK(names(all.cluster.namespaces) == "apps");
    CHECK(names(all.cluster.others) == "other-namespace map other-subscription gizmo");
}

TEST_CASE("Lists in Lists are read, and an object without a kind is reported") {
    const std::string item = "{apiVersion: v1, kind: Namespace, metadata: {name: %}}";
    const auto list = [](std::string_view items) {
        return fmt::format("{{apiVersion: v1, kind: List, items: [{}]}}", items);
    };
    const auto space = [&](char name) { return std::string(item).replace(item.find('%'), 1, 1, name); };
    const Read nested = read(list(space('a') + ", " + list(space('b') + ", " + list(space('c')))));
    CHECK(nested.findings.empty());
    CHECK(names(nested.cluster.namespaces) == "a b c");
    CHECK(nested.cluster.others.empty());

    const Read broken = read("metadata: {name: x}\n---\n" + space('a') + "\n---\na: [\n");
    CHECK(names(broken.cluster.namespaces) == "a");
    REQUIRE(broken.findings.size() == 2);
    CHECK(broken.findings[0].message == "this is not an object of a cluster: it has no kind");
    CHECK(broken.findings[0].rule == "manifest");
}

TEST_CASE("a ClusterServiceVersion is a copy if any of OLM's marks says so") {
    const std::string csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n";
    const struct {
        std::string_view more;
        bool copied;
    } cases[] = {
        {"metadata: {name: a, namespace: ns}", false},
        {"metadata: {name: a, namespace: ns}\nstatus: {reason: Copied}", true},
        {"metadata: {name: a, namespace: ns}\nstatus: {reason: InstallSucceeded}", false},
        {"metadata: {name: a, namespace: ns, annotations: {olm.operatorNamespace: other}}", true},
        {"metadata: {name: a, namespace: ns, annotations: {olm.operatorNamespace: ns}}", false},
        {"metadata: {name: a, namespace: ns, labels: {olm.copiedFrom: other}}", true},
    };
    for (const auto& c : cases) {
        CAPTURE(c.more);
        CHECK(read(csv + std::string(c.more)).cluster.csvs.at(0).copied == c.copied);
    }
}

TEST_CASE("install modes and the oldest Kubernetes come from olm.csv.metadata, or else from the CSV") {
    const auto modes = [](std::string_view properties) {
        return of_bundle(properties, [](const Bundle& bundle) {
            const auto found = install_modes_of(bundle);
            return found ? fmt::format("{}", fmt::join(*found, " ")) : std::string("unknown");
        });
    };
    const auto oldest = [](std::string_view properties) {
        return of_bundle(properties, [](const Bundle& bundle) { return min_kube_version_of(bundle); });
    };
    const auto csv = [](std::string_view spec) {
        return manifest_property(fmt::format(
            R"({{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {{"name": "red.v1"}}, "spec": {}}})",
            spec));
    };
    const auto metadata = [](std::string_view fields) {
        return fmt::format(", {{type: olm.csv.metadata, value: {}}}", fields);
    };
    const std::string_view two_modes =
        R"({"installModes": [{"type": "OwnNamespace", "supported": true}, {"type": "AllNamespaces", "supported": true},
        {"type": "MultiNamespace", "supported": false}, {"type": 4, "supported": true}]})";
    CHECK(modes("") == "unknown");
    CHECK(modes(metadata("{}")) == "unknown");
    CHECK(modes(metadata("{installModes: [{type: SingleNamespace, supported: true}]}") + csv(two_modes)) ==
          "SingleNamespace");
    CHECK(modes(csv(two_modes)) == "AllNamespaces OwnNamespace");
    CHECK(modes(csv("{}")) == "unknown");
    CHECK(oldest("").empty());
    CHECK(oldest(metadata("{minKubeVersion: 1.20.0}") + csv(R"({"minKubeVersion": "1.30.0"})")) == "1.20.0");
    CHECK(oldest(metadata("{}") + csv(R"({"minKubeVersion": "1.30.0"})")) == "1.30.0");
    CHECK(oldest(csv("{}")).empty());
}

TEST_CASE("the other manifests of a bundle are named, definitions first") {
    const auto named = [](std::string_view properties) {
        return of_bundle(properties, [](const Bundle& bundle) {
            return fmt::format("{}", fmt::join(other_manifests_of(bundle), ", "));
        });
    };
    const auto manifest = [](std::string_view api_version, std::string_view kind, std::string_view name) {
        return manifest_property(
            fmt::format(R"({{"apiVersion": "{}", "kind": "{}", "metadata": {{"name": "{}"}}}})", api_version,
                        kind, name));
    };
    CHECK(named("").empty());
    CHECK(named(manifest("v1", "ConfigMap", "settings") +
                manifest("operators.coreos.com/v1alpha1", "ClusterServiceVersion", "red.v1") +
                manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", "gizmos.example.com")) ==
          "CustomResourceDefinition gizmos.example.com, ConfigMap settings");
}
