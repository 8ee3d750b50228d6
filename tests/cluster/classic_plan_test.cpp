// Covers lib/cluster/classic_install.cpp, lib/cluster/classic_upgrade.cpp and
// lib/cluster/classic_prediction.cpp.
#include "object_server.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/cluster/classic_install.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace opcat;
using namespace opcat::cluster;

namespace {

constexpr const char* classic_version = "operators.coreos.com/v1alpha1";
constexpr const char* shop_image = "registry.example/people:v1";
constexpr const char* served_groups =
    R"({"groups":[{"name":"apiextensions.k8s.io","versions":[{"groupVersion":"apiextensions.k8s.io/v1"}]},)"
    R"({"name":"operators.coreos.com","versions":[{"groupVersion":"operators.coreos.com/v1alpha1"}]},)"
    R"({"name":"olm.operatorframework.io","versions":[]}]})";

Json catalog_source_in(const char* ns, const char* name) {
    Json json = named_object(classic_version, "CatalogSource", name, ns);
    json["spec"] = {{"sourceType", "grpc"}, {"image", shop_image}};
    json["status"]["connectionState"]["lastObservedState"] = "READY";
    return json;
}

Json channel_of(const char* name, const char* head, std::vector<const char*> versions,
                std::vector<const char*> modes) {
    Json channel{{"name", name}, {"currentCSV", head}, {"currentCSVDesc", {{"installModes", Json::array()}}}};
    for (const char* mode : modes)
        channel["currentCSVDesc"]["installModes"].push_back({{"type", mode}, {"supported", true}});
    for (const char* version : versions)
        channel["entries"].push_back({{"name", std::string("shop.v") + version}, {"version", version}});
    return channel;
}

Json manifest_of_shop(const char* catalog_ns = "olm", const char* catalog = "people") {
    Json json = named_object("packages.operators.coreos.com/v1", "PackageManifest", "shop", "n");
    json["status"] = {{"packageName", "shop"},
                      {"catalogSource", catalog},
                      {"catalogSourceNamespace", catalog_ns},
                      {"defaultChannel", "stable"},
                      {"channels",
                       {channel_of("stable", "shop.v1.1.0", {"1.0.0", "1.1.0"}, {"OwnNamespace"}),
                        channel_of("beta", "shop.v2.0.0", {"2.0.0"}, {"OwnNamespace"})}}};
    return json;
}

Json group_in_n(Json spec) {
    Json json = named_object("operators.coreos.com/v1", "OperatorGroup", "g", "n");
    json["spec"] = std::move(spec);
    return json;
}

Json subscription_in_n(const char* installed = "") {
    Json json = named_object(classic_version, "Subscription", "shop", "n");
    json["spec"] = {
        {"name", "shop"}, {"source", "people"}, {"sourceNamespace", "olm"}, {"channel", "stable"}};
    if (*installed)
        json["status"] = {{"installedCSV", installed}, {"currentCSV", installed}, {"state", "AtLatestKnown"}};
    return json;
}

Json definition_of_greetings(Json required) {
    Json json =
        named_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "greetings.example.com", "");
    Json schema{{"type", "object"}, {"properties", {{"text", {{"type", "string"}}}}}};
    if (!required.is_null()) schema["required"] = std::move(required);
    json["spec"] = {{"group", "example.com"},
                    {"scope", "Namespaced"},
                    {"names", {{"kind", "Greeting"}, {"plural", "greetings"}}},
                    {"versions", Json::array({{{"name", "v1"},
                                               {"served", true},
                                               {"storage", true},
                                               {"schema", {{"openAPIV3Schema", std::move(schema)}}}}})}};
    return json;
}

// A namespace n that sees the catalog olm/people, which has shop.
struct ClassicPlans {
    ObjectServer cluster{.objects = {named_object("v1", "Namespace", "n", ""),
                                     catalog_source_in("olm", "people"), manifest_of_shop()}};
    CatalogTexts images;

    ClassicInstallPlan install(ClassicInstallRequest request) {
        const Kubectl kubectl = cluster.kubectl();
        return plan_classic_install(kubectl, "n", request, images.access(), [](const std::string&) {});
    }
    ClassicUpgradePlan upgrade(const ClassicUpgradeRequest& request) {
        const Kubectl kubectl = cluster.kubectl();
        return plan_classic_upgrade(kubectl, "n", request, images.access());
    }
    // Why nothing can be planned.
    Obstacle obstacle_to(const ClassicInstallRequest& request) {
        try {
            (void)install(request);
        } catch (const OpenRequest& open) {
            return open.obstacle();
        }
        FAIL("there is a plan");
        return {};
    }
};

// A catalog with shop 1.1.0, whose manifests are a CSV and a definition with a required field.
std::string catalog_with_manifests() {
    const Json csv{{"apiVersion", classic_version},
                   {"kind", "ClusterServiceVersion"},
                   {"metadata", {{"name", "shop.v1.1.0"}}},
                   {"spec",
                    {{"version", "1.1.0"},
                     {"installModes", Json::array({{{"type", "OwnNamespace"}, {"supported", true}}})},
                     {"install", {{"strategy", "deployment"}, {"spec", {{"deployments", Json::array()}}}}},
                     {"customresourcedefinitions",
                      {{"owned", Json::array({{{"name", "greetings.example.com"},
                                               {"version", "v1"},
                                               {"kind", "Greeting"}}})}}}}}};
    const auto property = [](const Json& manifest) {
        return fmt::format("{{type: olm.bundle.object, value: {{data: {}}}}}",
                           encode_base64(manifest.dump()));
    };
    return fmt::format(R"(
{{schema: olm.package, name: shop, defaultChannel: stable}}
---
{{schema: olm.channel, package: shop, name: stable, entries: [{{name: shop.v1.1.0}}]}}
---
{{schema: olm.bundle, package: shop, name: shop.v1.1.0, image: registry.example/b:2, properties: [{{type: olm.package, value: {{packageName: shop, version: 1.1.0}}}}, {{type: olm.gvk, value: {{group: example.com, kind: Greeting, version: v1}}}}, {}, {}]}}
)",
                       property(csv), property(definition_of_greetings(Json{"text"})));
}

const Object& subscription_in(const ClassicInstallPlan& plan) {
    return plan.wanted.back();
}

std::vector<std::string> messages_of(const std::vector<Obstacle>& obstacles) {
    std::vector<std::string> messages;
    for (const Obstacle& obstacle : obstacles) messages.push_back(obstacle.message);
    return messages;
}

} // namespace

TEST_CASE("a catalog that is named without a namespace is the namespace's own, or a global one") {
    ClassicPlans plans;
    // The package server does not report the package yet.
    plans.cluster.objects = {named_object("v1", "Namespace", "n", ""), catalog_source_in("olm", "people"),
                             catalog_source_in("n", "own"), catalog_source_in("olm", "own")};
    const auto catalog_for = [&](const char* name) {
        const ClassicInstallPlan plan =
            plans.install({.package = "shop", .catalog = name, .create_group = true});
        return std::string(subscription_in(plan).text("spec", "sourceNamespace")) + "/" +
               std::string(subscription_in(plan).text("spec", "source"));
    };
    CHECK(catalog_for("own") == "n/own");
    CHECK(catalog_for("people") == "olm/people");
    const auto absent =
        plans.install({.package = "shop", .catalog = "nobody", .create_group = true}).obstacles;
    REQUIRE(absent.size() == 1);
    CHECK(absent[0].message == "catalog nobody does not exist in namespace n");
    CHECK(absent[0].help == "namespace n sees n/own, olm/people and olm/own");
}

TEST_CASE("a package that no catalog has is looked for elsewhere") {
    ClassicPlans plans;
    const Obstacle unlike = plans.obstacle_to({.package = "quite-another"});
    CHECK(unlike.message == "no catalog that namespace n sees has package quite-another");
    CHECK(unlike.remedy == Remedy::search_packages);
    // Nothing is known of packages, and there are two catalogs, or none that the namespace sees.
    plans.cluster.objects = {named_object("v1", "Namespace", "n", "")};
    CHECK(plans.obstacle_to({.package = "shop"}).remedy == Remedy::add_catalog);
    plans.cluster.objects.push_back(catalog_source_in("other", "theirs"));
    const Obstacle elsewhere = plans.obstacle_to({.package = "shop"});
    CHECK(elsewhere.remedy == Remedy::install_elsewhere);
    CHECK(elsewhere.help == "CatalogSource other/theirs");
    CHECK(elsewhere.ns == "other");
}

TEST_CASE("a version that only another channel has decides about the channel") {
    ClassicPlans plans;
    const ClassicInstallPlan other =
        plans.install({.package = "shop", .version = "2.0.0", .create_group = true});
    CHECK(other.obstacles.empty());
    CHECK(subscription_in(other).text("spec", "channel") == "beta");
    CHECK(subscription_in(other).text("spec", "startingCSV") == "shop.v2.0.0");
    // Not against the user's wish.
    const ClassicInstallPlan asked =
        plans.install({.package = "shop", .channel = "stable", .version = "2.0.0", .create_group = true});
    REQUIRE(asked.obstacles.size() == 1);
    CHECK(asked.obstacles[0].message == "channel stable of package shop has no version 2.0.0");
    CHECK(asked.obstacles[0].help == "it is in channel beta");
}

TEST_CASE(
    "an OperatorGroup that the bundle does not support, or that watches other namespaces, is in the way") {
    ClassicPlans plans;
    plans.cluster.objects.push_back(group_in_n({{"targetNamespaces", {"x"}}}));
    const ClassicInstallPlan single = plans.install({.package = "shop"});
    CHECK(messages_of(single.obstacles) ==
          std::vector<std::string>{
              "OperatorGroup g asks for install mode SingleNamespace, which shop.v1.1.0 does not support"});
    plans.cluster.objects.back() = group_in_n({{"targetNamespaces", {"n"}}});
    CHECK(plans.install({.package = "shop"}).obstacles.empty());
    CHECK(plans.install({.package = "shop", .watch = {"n"}}).obstacles.empty());
    const std::vector<std::string> others{
        "OperatorGroup g of namespace n watches other namespaces than asked for, for all operators there"};
    CHECK(messages_of(plans.install({.package = "shop", .watch = {"x"}}).obstacles) == others);
    CHECK(messages_of(plans.install({.package = "shop", .all_namespaces = true}).obstacles) == others);
    // What a selector selects is in the status.
    Json selecting = group_in_n({{"selector", {{"matchLabels", {{"team", "x"}}}}}});
    plans.cluster.objects.back() = selecting;
    CHECK(plans.install({.package = "shop"}).obstacles.empty()); // OLM has not looked yet
    CHECK(messages_of(plans.install({.package = "shop", .all_namespaces = true}).obstacles) == others);
    selecting["status"]["namespaces"] = {"n"};
    plans.cluster.objects.back() = selecting;
    CHECK(plans.install({.package = "shop", .watch = {"n"}}).obstacles.empty());
    CHECK(messages_of(plans.install({.package = "shop", .watch = {"x"}}).obstacles) == others);
}

TEST_CASE("the namespaces to watch decide about the install mode of a new OperatorGroup") {
    ClassicPlans plans;
    plans.cluster.objects.erase(plans.cluster.objects.begin()); // without its namespace
    const std::pair<std::vector<std::string>, const char*> cases[] = {
        {{"n"}, ""}, {{"x"}, "SingleNamespace"}, {{"x", "y"}, "MultiNamespace"}};
    for (const auto& [watch, refused] : cases) {
        CAPTURE(refused);
        const ClassicInstallPlan plan = plans.install({.package = "shop", .watch = watch});
        std::vector<std::string> expected;
        if (*refused)
            expected.push_back(fmt::format(
                "shop.v1.1.0 does not support install mode {}; it supports OwnNamespace", refused));
        CHECK(messages_of(plan.obstacles) == expected);
        REQUIRE(plan.wanted.size() == 3);
        CHECK(plan.wanted[1].strings("spec", "targetNamespaces") == watch);
    }
}

TEST_CASE("where the catalog cannot be read the head's needs are those that the package server reports") {
    ClassicPlans plans;
    plans.cluster.objects[2]["status"]["channels"][0]["currentCSVDesc"]["minKubeVersion"] = "1.99.0";
    const ClassicInstallPlan head = plans.install({.package = "shop", .create_group = true});
    CHECK(head.prediction.possible);
    CHECK(head.prediction.target == "shop.v1.1.0");
    CHECK(head.prediction.error.starts_with("shop.v1.1.0 needs Kubernetes 1.99.0 (minKubeVersion)"));
    // Of other versions it does not report them.
    CHECK(plans.install({.package = "shop", .version = "1.0.0", .create_group = true})
              .prediction.error.empty());
}

TEST_CASE("without the package server the name of a version's bundle is the usual one") {
    ClassicPlans plans;
    plans.cluster.objects.push_back(group_in_n({{"targetNamespaces", {"n"}}}));
    plans.cluster.objects.push_back(subscription_in_n("shop.v1.0.0"));
    CHECK(plans.upgrade({.package = "shop", .to = "1.1.0"}).target == "shop.v1.1.0");
    plans.cluster.forbidden = {"packagemanifests"};
    CHECK(plans.upgrade({.package = "shop", .to = "1.1.0"}).target == "shop.v1.1.0");
    CHECK(plans.upgrade({.package = "shop", .to = "9.0.0"}).target == "shop.v9.0.0");
    // It knows that there is no such version.
    plans.cluster.forbidden.clear();
    const ClassicUpgradePlan unknown = plans.upgrade({.package = "shop", .to = "9.0.0"});
    REQUIRE(unknown.obstacle);
    CHECK(unknown.obstacle->message == "catalog olm/people has no version 9.0.0 of shop");
}

TEST_CASE("an upgrade of a package without a Subscription is refused") {
    ClassicPlans plans;
    try {
        (void)plans.upgrade({.package = "shop"});
        FAIL("there is a plan");
    } catch (const OpenRequest& open) {
        CHECK(open.what() == std::string("namespace n has no Subscription for shop"));
        CHECK(open.obstacle().remedy == Remedy::choose_namespace);
    }
}

TEST_CASE("an InstallPlan that waits for approval is the plan") {
    ClassicPlans plans;
    plans.cluster.raw["/apis"] = served_groups;
    plans.images.texts[shop_image] = R"(
{schema: olm.package, name: shop, defaultChannel: stable}
---
{schema: olm.channel, package: shop, name: stable, entries: [{name: shop.v1.0.0}, {name: shop.v1.1.0, replaces: shop.v1.0.0}]}
---
{schema: olm.bundle, package: shop, name: shop.v1.0.0, image: registry.example/b:1, properties: [{type: olm.package, value: {packageName: shop, version: 1.0.0}}]}
---
{schema: olm.bundle, package: shop, name: shop.v1.1.0, image: registry.example/b:2, properties: [{type: olm.package, value: {packageName: shop, version: 1.1.0}}]}
)";
    Json subscription = subscription_in_n("shop.v1.0.0");
    subscription["spec"]["installPlanApproval"] = "Manual";
    subscription["status"]["state"] = "UpgradePending";
    subscription["status"]["currentCSV"] = "shop.v1.1.0";
    subscription["status"]["installPlanRef"]["name"] = "p";
    Json csv = named_object(classic_version, "ClusterServiceVersion", "shop.v1.0.0", "n");
    csv["spec"] = {{"version", "1.0.0"}};
    csv["status"]["phase"] = "Succeeded";
    Json waiting = named_object(classic_version, "InstallPlan", "p", "n");
    waiting["spec"] = {{"clusterServiceVersionNames", {"shop.v1.1.0"}},
                       {"generation", 2},
                       {"approval", "Manual"},
                       {"approved", false}};
    waiting["status"]["phase"] = "RequiresApproval";
    for (const Json& object : {group_in_n({{"targetNamespaces", {"n"}}}), subscription, csv, waiting})
        plans.cluster.objects.push_back(object);
    const ClassicUpgradePlan plan = plans.upgrade({.package = "shop"});
    CHECK(plan.prediction.error.empty());
    CHECK(plan.prediction.plan ==
          std::vector<std::string>{"upgrade to shop.v1.1.0 from shop.v1.0.0 (channel stable, catalog "
                                   "olm/people) once InstallPlan p is approved"});
    REQUIRE(plan.waiting);
    CHECK(plan.waiting->name == "p");
    // Recorded: the plan is carried out, and its CSV stays Pending.
    std::string& text = plans.images.texts[shop_image];
    const std::string property = "{type: olm.package, value: {packageName: shop, version: 1.1.0}}";
    text.insert(text.find(property), "{type: olm.csv.metadata, value: {minKubeVersion: 1.99.0}}, ");
    plans.cluster.raw["/version"] = R"({"gitVersion": "v1.36.2"})";
    CHECK(plans.upgrade({.package = "shop"}).prediction.error ==
          "shop.v1.1.0 needs Kubernetes 1.99.0 (minKubeVersion), and the cluster has v1.36.2: it would stay "
          "Pending");
}

TEST_CASE("what the user may not ask about the account of an OperatorGroup is said to be unknown") {
    ClassicPlans plans;
    plans.images.texts[shop_image] = catalog_with_manifests();
    plans.cluster.raw["/apis"] = served_groups;
    plans.cluster.objects.push_back(
        group_in_n({{"targetNamespaces", {"n"}}, {"serviceAccountName", "mine"}}));
    CHECK(plans.install({.package = "shop"}).prediction.error == "namespace n has no ServiceAccount mine");
    plans.cluster.forbidden = {"serviceaccounts", "reviews"};
    const ClassicPrediction unknown = plans.install({.package = "shop"}).prediction;
    CHECK(unknown.error.empty());
    CHECK(unknown.warnings ==
          std::vector<std::string>{
              "whether ServiceAccount n/mine has all rights to install is not known: cannot "
              "ask who has which rights: user alice may not create reviews in the whole "
              "cluster"});
}

TEST_CASE("custom resources that a new definition makes invalid are named, although OLM goes on") {
    ClassicPlans plans;
    plans.images.texts[shop_image] = catalog_with_manifests();
    plans.cluster.raw["/apis"] = served_groups;
    plans.cluster.objects.push_back(group_in_n({{"targetNamespaces", {"n"}}}));
    plans.cluster.objects.push_back(definition_of_greetings({}));
    plans.cluster.objects.push_back(named_object("example.com/v1", "Greeting", "hello", "n"));
    const ClassicPrediction prediction = plans.install({.package = "shop"}).prediction;
    CHECK(prediction.error.empty());
    CHECK(prediction.target == "shop.v1.1.0");
    CHECK(
        prediction.warnings ==
        std::vector<std::string>{"upgrade to shop.v1.1.0: Greeting n/hello is not valid against the new CRD "
                                 "greetings.example.com, version v1: text is required"});
}

TEST_CASE("a registry that does not answer does not tell whether the tag of a catalog has moved") {
    ClassicPlans plans;
    plans.images.texts["registry.example/people@sha256:1"] = catalog_with_manifests();
    plans.cluster.raw["/apis"] = served_groups;
    Json pod = named_object("v1", "Pod", "people-1", "olm");
    pod["metadata"]["labels"]["olm.catalogSource"] = "people";
    pod["spec"]["containers"] = Json::array({{{"name", "registry-server"}, {"image", shop_image}}});
    pod["status"]["containerStatuses"] =
        Json::array({{{"name", "registry-server"}, {"imageID", "registry.example/people@sha256:1"}}});
    plans.cluster.objects.push_back(pod);
    const Kubectl kubectl = plans.cluster.kubectl();
    CatalogAccess access = plans.images.access();
    access.still_names = [](const std::string&, const std::string&) -> bool { throw Error("no network"); };
    const ClassicInstallRequest request{.package = "shop", .create_group = true};
    const auto prediction =
        plan_classic_install(kubectl, "n", request, access, [](const std::string&) {}).prediction;
    CHECK(prediction.newer_waits.empty());
    CHECK(prediction.remarks.front() == "predicted from registry.example/people:v1");
    access.still_names = [](const std::string&, const std::string&) { return false; };
    CHECK(plan_classic_install(kubectl, "n", request, access, [](const std::string&) {
          }).prediction.newer_waits == "olm/people");
}

TEST_CASE("nothing is predicted for a package without a Subscription") {
    ClassicPlans plans;
    const ClassicPrediction prediction = predict_classic({{}, "n", "shop", {}}, plans.images.access());
    CHECK_FALSE(prediction.possible);
    CHECK(prediction.plan.empty());
}
