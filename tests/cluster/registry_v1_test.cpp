#include "../load_text.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/registry_v1.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace opcat;
using namespace opcat::cluster;

namespace {

Json sample_csv(const char* mode) {
    return {
        {"apiVersion", "operators.coreos.com/v1alpha1"},
        {"kind", "ClusterServiceVersion"},
        {"metadata", {{"name", "shop.v1.0.0"}, {"annotations", {{"capabilities", "Basic Install"}}}}},
        {"spec",
         {{"version", "1.0.0"},
          {"installModes", Json::array({{{"type", mode}, {"supported", true}}})},
          {"install",
           {{"spec",
             {{"permissions", Json::array({{{"serviceAccountName", "shop-manager"},
                                            {"rules", Json::array({{{"apiGroups", {""}},
                                                                    {"resources", {"configmaps"}},
                                                                    {"verbs", {"get"}}}})}}})},
              {"deployments",
               Json::array({{{"name", "shop"},
                             {"spec",
                              {{"selector", {{"matchLabels", {{"app", "shop"}}}}},
                               {"template",
                                {{"metadata", {{"labels", {{"app", "shop"}}}}},
                                 {"spec", {{"containers", Json::array({{{"name", "c"}}})}}}}}}}}})}}}}}}}};
}

BundleContent with_webhook(Json definition) {
    Json csv = sample_csv("AllNamespaces");
    csv["spec"]["webhookdefinitions"] = Json::array({std::move(definition)});
    BundleContent content;
    content.csv.push_back(object_of(csv));
    return content;
}

std::vector<std::string> kinds(const std::vector<Object>& objects) {
    std::vector<std::string> found;
    for (const Object& object : objects) found.emplace_back(object.kind());
    return found;
}

} // namespace

TEST_CASE("names of RBAC objects are those of the recorded control plane" * doctest::test_suite("recorded")) {
    const std::filesystem::path flow =
        std::filesystem::path(OPCAT_SHARED) / "conformance/cluster/v1-install-latest/events.jsonl";
    std::ifstream file(flow);
    size_t compared = 0;
    for (std::string line; std::getline(file, line);) {
        const Json event = Json::parse(line);
        const Json& object = event.at("object");
        if (object.at("kind") != "ClusterRole" || event.at("type") != "ADDED") continue;
        // The server keeps the rules in Go's order, which is that of the hash.
        const Json permission{{"serviceAccountName", "x-install-latest-manager"},
                              {"rules", object.at("rules")}};
        CHECK(rbac_name("x-install-latest.v2.0.0-x-install-latest-manager", permission) ==
              object.at("metadata").at("name").get<std::string>());
        ++compared;
    }
    CHECK(compared == 2);
}

TEST_CASE("a bundle for all namespaces gets its permissions in the whole cluster") {
    BundleContent content;
    content.csv.push_back(object_of(sample_csv("AllNamespaces")));
    const auto objects = render_bundle(content, {.ns = "operators"});
    const std::vector<std::string> expected{"ServiceAccount", "ClusterRole", "ClusterRoleBinding",
                                            "Deployment"};
    CHECK(kinds(objects) == expected);
    CHECK(objects[1].items("rules").size() == 2); // with the one for namespaces
    const Object& deployment = objects[3];
    CHECK(deployment.ns == "operators");
    CHECK(deployment.number("spec", "revisionHistoryLimit") == 1);
    CHECK(deployment.text("spec", "template", "metadata", "annotations", "capabilities") == "Basic Install");
    CHECK(deployment.at("spec", "template", "metadata", "annotations", "olm.targetNamespaces"));
}

TEST_CASE("a bundle for its own namespace gets a Role in it") {
    BundleContent content;
    content.csv.push_back(object_of(sample_csv("OwnNamespace")));
    const auto objects = render_bundle(content, {.ns = "shop", .watch = {"shop"}});
    const std::vector<std::string> expected{"ServiceAccount", "Role", "RoleBinding", "Deployment"};
    CHECK(kinds(objects) == expected);
    CHECK(objects[1].items("rules").size() == 1);
    CHECK_THROWS_AS(render_bundle(content, {.ns = "shop"}), Error);
}

TEST_CASE("webhooks need cert-manager, and get a service and a certificate") {
    const BundleContent content = with_webhook({{"type", "ValidatingAdmissionWebhook"},
                                                {"generateName", "vshop.example.com"},
                                                {"deploymentName", "shop"},
                                                {"webhookPath", "/validate"},
                                                {"targetPort", 9443}});
    CHECK_THROWS_AS(render_bundle(content, {.ns = "shop"}), Error);
    const auto objects = render_bundle(content, {.ns = "shop", .cert_manager = true});
    const auto has = [&](const char* kind, const char* name) {
        return std::any_of(objects.begin(), objects.end(),
                           [&](const Object& o) { return o.kind() == kind && o.name == name; });
    };
    CHECK(has("Service", "shop-service"));
    CHECK(has("Certificate", "shop-service-cert"));
    CHECK(has("ValidatingWebhookConfiguration", "vshop.example.com"));
}

TEST_CASE("the definitions that a webhook converts name it") {
    BundleContent content = with_webhook({{"type", "ConversionWebhook"},
                                          {"generateName", "cshop.example.com"},
                                          {"deploymentName", "shop"},
                                          {"webhookPath", "/convert"},
                                          {"conversionCRDs", {"shops.example.com"}},
                                          {"admissionReviewVersions", {"v1", "v1beta1"}}});
    for (const char* name : {"shops.example.com", "others.example.com"})
        content.crds.push_back(object_of({{"apiVersion", "apiextensions.k8s.io/v1"},
                                          {"kind", "CustomResourceDefinition"},
                                          {"metadata", {{"name", name}}}}));
    std::map<std::string, Json> definitions;
    for (const Object& object : render_bundle(content, {.ns = "shop", .cert_manager = true}))
        if (object.kind() == "CustomResourceDefinition") definitions[object.name] = json_of(object.value());
    REQUIRE(definitions.size() == 2);
    CHECK(!definitions["others.example.com"].contains("spec"));
    const Json& shops = definitions["shops.example.com"];
    CHECK(shops["metadata"]["annotations"] ==
          Json{{"cert-manager.io/inject-ca-from", "shop/shop-service-cert"}});
    CHECK(shops["spec"]["conversion"] ==
          Json{{"strategy", "Webhook"},
               {"webhook",
                {{"clientConfig",
                  {{"service",
                    {{"namespace", "shop"}, {"name", "shop-service"}, {"port", 443}, {"path", "/convert"}}}}},
                 {"conversionReviewVersions", {"v1", "v1beta1"}}}}});
}

TEST_CASE("what only a server writes is not part of a bundle's manifest") {
    const LoadedCatalog loaded = load_text(
        "schema: olm.bundle\npackage: shop\nname: shop.v1.0.0\nimage: i.example/shop:v1\nproperties:\n"
        "- {type: olm.package, value: {packageName: shop, version: 1.0.0}}\n"
        "- {type: olm.bundle.object, value: {data: " +
        encode_base64(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","creationTimestamp":)"
                      R"("2026-01-01T00:00:00Z"},"spec":{},"status":{"loadBalancer":{}}})") +
        "}}\n");
    REQUIRE(loaded.catalog.bundles.size() == 1);
    const BundleContent content = bundle_content(loaded.catalog.bundles.front());
    REQUIRE(content.others.size() == 1);
    CHECK(kube::to_text(content.others[0].value()) ==
          R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{}})");
}

TEST_CASE("a bundle with API services is refused") {
    Json csv = sample_csv("AllNamespaces");
    csv["spec"]["apiservicedefinitions"]["owned"] =
        Json::array({{{"group", "shop.example.com"}, {"version", "v1"}, {"kind", "Shop"}}});
    BundleContent content;
    content.csv.push_back(object_of(csv));
    CHECK_THROWS_WITH_AS(render_bundle(content, {.ns = "shop"}),
                         "bundle shop.v1.0.0 brings API services, which only OLM classic installs", Error);
}

TEST_CASE("a bundle with manifests of an unexpected shape is refused") {
    const auto words_for = [](const Json& csv, const Json& manifest = {}) -> std::string {
        BundleContent content;
        content.csv.push_back(object_of(csv));
        if (!manifest.is_null())
            (manifest["kind"] == "ConfigMap" ? content.others : content.crds).push_back(object_of(manifest));
        try {
            (void)render_bundle(content, {.ns = "n"});
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };
    const Json good = sample_csv("AllNamespaces");
    CHECK(words_for(good).empty());
    const auto refused = [](const std::string& what) {
        return "cannot render bundle shop.v1.0.0: " + what +
               " does not have the shape of an object of Kubernetes";
    };
    CHECK(words_for(good, {{"kind", "ConfigMap"}, {"metadata", "foo"}}) == refused("ConfigMap "));
    CHECK(words_for(good, {{"kind", "ConfigMap"}, {"metadata", {{"name", "a"}, {"labels", "b"}}}}) ==
          refused("ConfigMap a"));
    CHECK(words_for(good, {{"kind", "CustomResourceDefinition"}, {"metadata", "foo"}}) ==
          refused("CustomResourceDefinition "));
    Json csv = good;
    csv["spec"]["install"]["spec"]["deployments"][0]["spec"]["template"] = "x";
    CHECK(words_for(csv) == refused("Deployment shop"));
}

TEST_CASE("a Deployment has the labels that the CSV gives it") {
    Json csv = sample_csv("AllNamespaces");
    csv["spec"]["install"]["spec"]["deployments"][0]["label"] = {{"tier", "back"}};
    BundleContent content;
    content.csv.push_back(object_of(csv));
    const auto objects = render_bundle(content, {.ns = "shop"});
    CHECK(objects.back().kind() == "Deployment");
    CHECK(objects.back().label("tier") == "back");
}

TEST_CASE("bundle objects are read in the same way as by validate") {
    const std::string json =
        R"({"kind":"ClusterServiceVersion","metadata":{"name":"shop.v1.0.0","annotations":)"
        R"({"olm.properties":"[{\"type\":\"olm.maxOpenShiftVersion\",\"value\":\"4.17\"}]"}},)"
        R"("spec":{"version":"1.0.0","installModes":[{"type":"AllNamespaces",)"
        R"("supported":true}]}})";
    const std::string yaml =
        "kind: ClusterServiceVersion\nmetadata:\n  name: shop.v1.0.0\n  annotations:\n"
        "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.17\"}]'\n"
        "spec:\n  version: 1.0.0\n  installModes: [{type: AllNamespaces, supported: true}]\n";
    const std::string any_case =
        "kind: ClusterServiceVersion\nMetadata:\n  Name: shop.v1.0.0\n  Annotations:\n"
        "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.17\"}]'\n"
        "Spec:\n  VERSION: 1.0.0\n  InstallModes: [{Type: AllNamespaces, Supported: true}]\n";
    const auto as_bytes = [](const std::string& text) {
        std::string list;
        for (const char c : text)
            list += (list.empty() ? "[" : ", ") + std::to_string(static_cast<unsigned char>(c));
        return list + "]";
    };
    const std::pair<const char*, std::string> cases[] = {
        {"data", encode_base64(json)},     {"Data", encode_base64(json)}, {"DATA", as_bytes(json)},
        {"data", encode_base64(yaml)},     {"data", as_bytes(yaml)},      {"dAta", as_bytes(any_case)},
        {"data", encode_base64(any_case)},
    };
    for (const auto& [key, data] : cases) {
        CAPTURE(key);
        CAPTURE(data);
        const LoadedCatalog loaded =
            load_text("schema: olm.package\nname: shop\ndefaultChannel: stable\n---\nschema: olm.channel\n"
                      "package: shop\nname: stable\nentries: [{name: shop.v1.0.0}]\n---\nschema: olm.bundle\n"
                      "package: shop\nname: shop.v1.0.0\nimage: i.example/shop:v1\nproperties:\n"
                      "- {type: olm.package, value: {packageName: shop, version: 1.0.0}}\n"
                      "- {type: olm.bundle.object, value: {" +
                      std::string(key) + ": " + data + "}}\n");
        for (const Diagnostic& finding : loaded.diagnostics) CHECK(finding.severity != Severity::error);
        REQUIRE(loaded.catalog.bundles.size() == 1);
        const Bundle& bundle = loaded.catalog.bundles.front();
        const BundleContent content = bundle_content(bundle);
        CHECK(content.name() == "shop.v1.0.0");
        CHECK(content.version() == "1.0.0");
        CHECK_NOTHROW(render_bundle(content, {.ns = "shop"}));
        const auto max = olmv1::max_openshift_version(bundle);
        REQUIRE(max);
        REQUIRE(*max);
        CHECK((*max)->to_string() == "4.17");
    }
}
