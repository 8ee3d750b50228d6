// Covers lib/cluster/v1_install.cpp, lib/cluster/v1_prediction.cpp and lib/cluster/served_release.cpp.
#include "object_server.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/cluster/served_release.hpp"
#include "opcat/cluster/v1_install.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace opcat;
using namespace opcat::cluster;

namespace {

constexpr const char* v1_image = "registry.example/people:v1";

// A bundle of shop, with its manifests in the catalog, that supports one install mode. `crd`: null for none.
std::string bundle_of_shop(const std::string& version, const char* mode, const Json& crd = {},
                           const Json& api_services = {}) {
    Json csv{{"apiVersion", "operators.coreos.com/v1alpha1"},
             {"kind", "ClusterServiceVersion"},
             {"metadata", {{"name", "shop.v" + version}}},
             {"spec",
              {{"version", version},
               {"installModes", Json::array({{{"type", mode}, {"supported", true}}})},
               {"install", {{"spec", {{"deployments", Json::array()}}}}}}}};
    if (!api_services.is_null()) csv["spec"]["apiservicedefinitions"]["owned"] = api_services;
    std::string objects;
    for (const Json& object : {csv, crd})
        if (!object.is_null())
            objects += fmt::format(", {{type: olm.bundle.object, value: {{data: {}}}}}",
                                   encode_base64(object.dump()));
    return fmt::format(
        "---\n{{schema: olm.bundle, package: shop, name: shop.v{0}, image: registry.example/b:{0}, "
        "properties: [{{type: olm.package, value: {{packageName: shop, version: {0}}}}}{1}]}}\n",
        version, objects);
}

std::string catalog_of_shop(const std::string& bundles) {
    return "---\n{schema: olm.package, name: shop, defaultChannel: stable}\n"
           "---\n{schema: olm.channel, package: shop, name: stable, entries: [{name: shop.v1.0.0}, "
           "{name: shop.v1.1.0, replaces: shop.v1.0.0}]}\n" +
           bundles;
}

Json v1_catalog(const char* name, const char* image, int priority = 0) {
    Json json = named_object("olm.operatorframework.io/v1", "ClusterCatalog", name, "");
    json["spec"] = {{"priority", priority}, {"source", {{"type", "Image"}, {"image", {{"ref", image}}}}}};
    return json;
}

// A cluster with OLM v1, whose catalog people has shop 1.0.0 and 1.1.0.
struct V1Plans {
    ObjectServer cluster{
        .objects = {named_object("v1", "Namespace", "n", ""), v1_catalog("people", v1_image)},
        .raw = {{"/apis",
                 R"({"groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1"}]},)"
                 R"({"name":"apiextensions.k8s.io","versions":[{"groupVersion":"apiextensions.k8s.io/v1"}]},)"
                 R"({"name":"operators.coreos.com"},{"name":"olm.operatorframework.io"}]})"},
                {"/apis/olm.operatorframework.io/v1", R"({"resources":[{"name":"clusterextensions"}]})"}}};
    CatalogTexts images;

    explicit V1Plans(const char* mode = "AllNamespaces", const char* later_mode = "") {
        images.texts[v1_image] = catalog_of_shop(bundle_of_shop("1.0.0", mode) +
                                                 bundle_of_shop("1.1.0", *later_mode ? later_mode : mode));
    }
    void be_experimental() {
        cluster.raw["/apis/olm.operatorframework.io/v1"] =
            R"({"resources":[{"name":"clusterextensions"},{"name":"clusterobjectsets"}]})";
    }
    void install(const char* bundle, const char* version) {
        Json json = named_object("olm.operatorframework.io/v1", "ClusterExtension", "shop", "");
        json["spec"] = {{"namespace", "n"},
                        {"serviceAccount", {{"name", "mine"}}},
                        {"source", {{"catalog", {{"packageName", "shop"}}}}}};
        json["status"]["install"]["bundle"] = {{"name", bundle}, {"version", version}};
        cluster.objects.push_back(json);
    }
};

template <typename Obstruction, typename Do>
Obstacle obstacle_thrown_by(Do run) {
    try {
        run();
    } catch (const Obstruction& obstructed) {
        return obstructed.obstacle();
    }
    FAIL("nothing was thrown");
    return {};
}

} // namespace

TEST_CASE("a ClusterCatalog is named without a namespace") {
    V1Plans plans;
    const Kubectl kubectl = plans.cluster.kubectl();
    const Obstacle obstacle = obstacle_thrown_by<OpenRequest>([&] {
        (void)plan_v1_install(kubectl, "n", {.package = "shop", .catalog = "olm/people"}, {.v1 = true},
                              plans.images.access());
    });
    CHECK(obstacle.message == "a ClusterCatalog has no namespace");
    CHECK(obstacle.remedy == Remedy::name_catalog_alone);
}

TEST_CASE("an account that the user may not read is not said to be missing") {
    V1Plans plans;
    const Kubectl kubectl = plans.cluster.kubectl();
    const auto plan = plan_v1_install(
        kubectl, "n", {.package = "shop", .service_account = "mine", .rights = InstallerRights::none},
        {.v1 = true}, plans.images.access());
    const auto missing = obstacle_to(plan, kubectl);
    REQUIRE(missing);
    CHECK(missing->message == "namespace n has no ServiceAccount mine");
    plans.cluster.forbidden = {"serviceaccounts"};
    CHECK_FALSE(obstacle_to(plan, kubectl));
}

TEST_CASE("rights are not derived from a bundle that is not known or cannot be installed") {
    V1Plans plans("OwnNamespace");
    const Kubectl kubectl = plans.cluster.kubectl();
    const Served served{.v1 = true};
    const auto blocked = plan_v1_install(kubectl, "n", {.package = "shop"}, served, plans.images.access());
    const Obstacle no_mode =
        obstacle_thrown_by<BlockedChange>([&] { (void)objects_of(blocked, kubectl, served); });
    CHECK(no_mode.message ==
          "the rights that the bundle needs cannot be derived: bundle shop.v1.1.0 does not "
          "support install mode AllNamespaces: it supports OwnNamespace");
    CHECK(no_mode.remedy == Remedy::as_told);
    const auto open =
        plan_v1_install(kubectl, "n", {.package = "shop", .version = "9.0.0"}, served, plans.images.access());
    const Obstacle unknown =
        obstacle_thrown_by<OpenRequest>([&] { (void)objects_of(open, kubectl, served); });
    CHECK(unknown.message ==
          "the rights that the bundle needs cannot be derived: it is not known which bundle it will be");
    CHECK(unknown.remedy == Remedy::grant_rights);
    // All rights need no bundle.
    const auto all = plan_v1_install(
        kubectl, "n", {.package = "shop", .version = "9.0.0", .rights = InstallerRights::cluster_admin},
        served, plans.images.access());
    CHECK(objects_of(all, kubectl, served).wanted.size() == 3); // account, binding, extension
}

TEST_CASE("a bundle that does not support all namespaces needs the experimental features and a namespace") {
    V1Plans plans("AllNamespaces", "SingleNamespace");
    const auto prediction_for = [&](const V1InstallRequest& request) {
        return plan_v1_install(plans.cluster.kubectl(), "n", request, {.v1 = true}, plans.images.access());
    };
    const auto standard = prediction_for({.package = "shop"});
    REQUIRE(standard.question->prediction.problems.size() == 1);
    CHECK(standard.question->prediction.problems[0].ends_with(
        "bundle does not support AllNamespaces install mode"));
    CHECK_FALSE(standard.question->prediction.needs_watch_namespace);
    CHECK(standard.question->prediction.path.end.empty());
    plans.be_experimental();
    const auto experimental = prediction_for({.package = "shop"});
    REQUIRE(experimental.question->prediction.problems.size() == 1);
    CHECK(experimental.question->prediction.problems[0].ends_with(
        "required field \"watchNamespace\" is missing"));
    CHECK(experimental.question->prediction.needs_watch_namespace);
    const auto watching =
        prediction_for({.package = "shop", .settings = {.config = object_of({{"watchNamespace", "other"}})}});
    CHECK(watching.question->prediction.problems.empty());
    CHECK(watching.question->prediction.path.end == "shop.v1.1.0");
    // The extension says what it watches when it is upgraded; here it is a later step that is refused.
    plans.install("shop.v1.0.0", "1.0.0");
    const V1UpgradeRequest upgrade{.package = "shop"};
    const Kubectl kubectl = plans.cluster.kubectl();
    const auto refused = plan_v1_upgrade(kubectl, upgrade, plans.images.access());
    CHECK(refused.question->prediction.problems.size() == 1);
    plans.cluster.objects.back()["spec"]["config"]["inline"]["watchNamespace"] = "other";
    CHECK(plan_v1_upgrade(kubectl, upgrade, plans.images.access()).question->prediction.problems.empty());
}

TEST_CASE("a bundle with API services is not installed") {
    V1Plans plans;
    plans.images.texts[v1_image] =
        catalog_of_shop(bundle_of_shop("1.0.0", "AllNamespaces") +
                        bundle_of_shop("1.1.0", "AllNamespaces", {}, Json::array({{{"name", "a"}}})));
    const Kubectl kubectl = plans.cluster.kubectl();
    const auto plan = plan_v1_install(kubectl, "n", {.package = "shop"}, {.v1 = true}, plans.images.access());
    CHECK(plan.question->prediction.problems ==
          std::vector<std::string>{"error for resolved bundle \"shop.v1.1.0\" with version \"1.1.0\": "
                                   "unsupported bundle: apiServiceDefintions are not supported"});
}

TEST_CASE("a long path is followed to its end, and its first steps are compared") {
    V1Plans plans;
    std::string entries;
    std::string bundles;
    for (int i = 0; i <= 13; ++i) {
        entries += fmt::format("{{name: shop.v1.{}.0{}}}, ", i,
                               i > 0 ? fmt::format(", replaces: shop.v1.{}.0", i - 1) : "");
        bundles += bundle_of_shop(fmt::format("1.{}.0", i), i < 13 ? "AllNamespaces" : "OwnNamespace");
    }
    plans.images.texts[v1_image] =
        fmt::format("---\n{{schema: olm.package, name: shop, defaultChannel: stable}}\n"
                    "---\n{{schema: olm.channel, package: shop, name: stable, entries: [{}]}}\n{}",
                    entries, bundles);
    plans.install("shop.v1.0.0", "1.0.0");
    const Kubectl kubectl = plans.cluster.kubectl();
    const auto plan = plan_v1_upgrade(kubectl, {.package = "shop"}, plans.images.access());
    const V1Prediction& prediction = plan.question->prediction;
    CHECK(prediction.path.steps.size() == 13);
    CHECK(prediction.path.end == "shop.v1.13.0");
    CHECK(prediction.problems.empty());
    CHECK(prediction.remarks ==
          std::vector<std::string>{"only the first 10 of 13 steps are compared with the cluster"});
}

TEST_CASE("unsafe changes of definitions are problems, unless the extension switches their check off") {
    const auto definition = [](const char* scope, const char* type) {
        Json json =
            named_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "toys.shop.example", "");
        json["metadata"]["labels"][owner_name_label] = "shop";
        json["spec"] = {
            {"group", "shop.example"},
            {"names", {{"kind", "Toy"}, {"plural", "toys"}}},
            {"scope", scope},
            {"versions",
             Json::array({{{"name", "v1"},
                           {"served", true},
                           {"storage", true},
                           {"schema",
                            {{"openAPIV3Schema",
                              {{"type", "object"}, {"properties", {{"size", {{"type", type}}}}}}}}}}})}};
        return json;
    };
    const std::string type_changed =
        "CRD \"toys.shop.example\"{}: v1: ^.size: type: type changed : \"object\" -> \"string\"";
    const std::string scope_changed =
        "validating upgrade for CRD \"toys.shop.example\": scope: scope changed : "
        "\"Namespaced\" -> \"Cluster\"";
    const std::string refused = "validating upgrade for " + fmt::format(fmt::runtime(type_changed), "");
    const std::string unchecked =
        "OLM does not check " + fmt::format(fmt::runtime(type_changed), " for this extension");
    using Words = std::vector<std::string>;
    const struct {
        const char* scope;
        const char* enforcement;
        Words problems, remarks;
        bool by_preflight;
    } cases[] = {{"Namespaced", "Strict", {refused}, {}, true},
                 {"Namespaced", "None", {}, {unchecked}, false},
                 {"Cluster", "Strict", {scope_changed, refused}, {}, false},
                 {"Cluster", "None", {scope_changed}, {unchecked}, false}};
    for (const auto& c : cases) {
        CAPTURE(c.scope);
        CAPTURE(c.enforcement);
        V1Plans plans;
        plans.images.texts[v1_image] =
            catalog_of_shop(bundle_of_shop("1.0.0", "AllNamespaces") +
                            bundle_of_shop("1.1.0", "AllNamespaces", definition(c.scope, "string")));
        plans.cluster.objects.push_back(definition("Namespaced", "object"));
        plans.install("shop.v1.0.0", "1.0.0");
        plans.cluster.objects.back()["spec"]["install"]["preflight"]["crdUpgradeSafety"]["enforcement"] =
            c.enforcement;
        const Kubectl kubectl = plans.cluster.kubectl();
        const auto plan = plan_v1_upgrade(kubectl, {.package = "shop"}, plans.images.access());
        const V1Prediction& prediction = plan.question->prediction;
        CHECK(prediction.problems == c.problems);
        CHECK(prediction.remarks == c.remarks);
        CHECK(prediction.refused_by_preflight == c.by_preflight);
    }
}

TEST_CASE("an upgrade of what is not installed with OLM v1 is refused") {
    V1Plans plans;
    const Kubectl kubectl = plans.cluster.kubectl();
    const Obstacle obstacle = obstacle_thrown_by<OpenRequest>(
        [&] { (void)plan_v1_upgrade(kubectl, {.package = "shop"}, plans.images.access()); });
    CHECK(obstacle.message == "shop is not installed with OLM v1");
    CHECK(obstacle.remedy == Remedy::list_installed);
}

TEST_CASE("the catalog of the higher priority comes first") {
    V1Plans plans;
    plans.images.texts["registry.example/others:v1"] = plans.images.texts[v1_image];
    plans.cluster.objects.push_back(v1_catalog("others", "registry.example/others:v1", 5));
    const Kubectl kubectl = plans.cluster.kubectl();
    const V1Catalogs catalogs(kubectl, {}, plans.images.access()); // reads both
    olmv1::Request request;
    request.package = "shop";
    const V1Prediction prediction = predict_v1(kubectl, {"shop", {.ns = "n"}}, request, catalogs);
    CHECK(prediction.remarks ==
          std::vector<std::string>{"catalog others (priority 5) comes before catalog people (priority 0)"});
}

TEST_CASE("an upgrade reads the catalogs that the extension selects") {
    V1Plans plans;
    plans.cluster.objects.back()["metadata"]["labels"]["env"] = "prod";
    plans.cluster.objects.push_back(v1_catalog("others", "registry.example/others:v1")); // cannot be pulled
    plans.install("shop.v1.0.0", "1.0.0");
    const Json selectors[] = {
        {{"matchLabels", {{"env", "prod"}}}},
        {{"matchLabels", {{"olm.operatorframework.io/metadata.name", "people"}}}},
        {{"matchExpressions",
          Json::array({{{"key", "env"}, {"operator", "In"}, {"values", Json::array({"prod"})}}})}}};
    for (const Json& selector : selectors) {
        CAPTURE(selector.dump());
        plans.cluster.objects.back()["spec"]["source"]["catalog"]["selector"] = selector;
        const Kubectl kubectl = plans.cluster.kubectl();
        const auto plan = plan_v1_upgrade(kubectl, {.package = "shop"}, plans.images.access());
        CHECK_FALSE(plan.question->catalogs.incomplete());
        CHECK(plan.question->prediction.path.end == "shop.v1.1.0");
    }
    plans.cluster.objects.back()["spec"]["source"]["catalog"]["selector"] = {
        {"matchExpressions", Json::array({{{"key", "env"}, {"operator", "Like"}}})}};
    const Kubectl kubectl = plans.cluster.kubectl();
    const auto plan = plan_v1_upgrade(kubectl, {.package = "shop"}, plans.images.access());
    CHECK(plan.question->prediction.resolution.error.starts_with("desired catalog selector is invalid"));
}

TEST_CASE("rights are renewed for the new version although the catalogs have dropped the old one") {
    V1Plans plans;
    plans.images.texts[v1_image] =
        "---\n{schema: olm.package, name: shop, defaultChannel: stable}\n"
        "---\n{schema: olm.channel, package: shop, name: stable, entries: [{name: shop.v1.1.0, "
        "replaces: shop.v1.0.0}]}\n" +
        bundle_of_shop("1.1.0", "AllNamespaces");
    plans.install("shop.v1.0.0", "1.0.0");
    Json role = named_object("rbac.authorization.k8s.io/v1", "ClusterRole", "shop-installer", "");
    role["metadata"]["labels"][installer_label] = "shop";
    role["metadata"]["annotations"][created_for_annotation] = "shop";
    plans.cluster.objects.push_back(role);
    const Kubectl kubectl = plans.cluster.kubectl();
    const auto plan = plan_v1_upgrade(kubectl, {.package = "shop"}, plans.images.access());
    CHECK(plan.question->prediction.path.end == "shop.v1.1.0");
    CHECK_FALSE(renewed_rights(plan, kubectl, {.v1 = true}).empty());
}

TEST_CASE("the fields of a ClusterExtension tell the newest release that has them") {
    const auto release_for = [](const char* resources, const char* fields, bool account) {
        ObjectServer cluster{
            .raw = {{"/apis/olm.operatorframework.io/v1",
                     fmt::format(R"({{"resources":[{{"name":"{}"}}]}})", resources)},
                    {"/openapi/v3/apis/olm.operatorframework.io/v1",
                     fmt::format(R"({{"components":{{"schemas":{{"io.x.v1.ClusterExtension":{{"properties":)"
                                 R"({{"spec":{{"required":[{}],"properties":{{{}}}}}}}}}}}}}}})",
                                 account ? R"("serviceAccount")" : "", fields)}}};
        const olmv1::OlmRelease release = served_release(cluster.kubectl());
        return release.version() + " " + std::string(release.feature_set());
    };
    constexpr const char* config = R"("config":{"type":"object"})";
    constexpr const char* both = R"("config":{"type":"object"},"progressDeadlineMinutes":{"type":"integer"})";
    CHECK(release_for("clusterextensions", "", true) == "1.10 standard");
    CHECK(release_for("clusterextensions", config, true) == "1.8 standard");
    CHECK(release_for("clusterextensions", "", false) == "1.11 standard");
    CHECK(release_for("clusterobjectsets", both, true) == "1.10 experimental");
    CHECK(release_for("clusterextensionrevisions", config, true) == "1.7 experimental");
    CHECK(release_for("clusterextensionrevisions", "", true) == "1.4 experimental");
    CHECK(release_for("clusterobjectsets", both, false) == "1.11 experimental");
}
