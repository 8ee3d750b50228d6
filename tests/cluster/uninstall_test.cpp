// Covers lib/cluster/uninstall.cpp and lib/cluster/plain_set.cpp.
#include "object_server.hpp"
#include "opcat/cluster/installer_rights.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/uninstall.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace opcat;
using namespace opcat::cluster;

namespace {

constexpr const char* csv_version = "operators.coreos.com/v1alpha1";
const Served both_olms{.classic = true, .v1 = true};

Json subscribed(const char* package, const char* csv, const char* name) {
    Json json = named_object(csv_version, "Subscription", name, "n");
    json["spec"] = {
        {"name", package}, {"source", "people"}, {"sourceNamespace", "olm"}, {"startingCSV", csv}};
    json["status"] = {{"installedCSV", csv}, {"currentCSV", csv}, {"state", "AtLatestKnown"}};
    return json;
}

Json csv_that_owns(const char* name, std::vector<const char*> crds, const char* ns = "n") {
    Json json = named_object(csv_version, "ClusterServiceVersion", name, ns);
    json["spec"]["version"] = "1.0.0";
    for (const char* crd : crds)
        json["spec"]["customresourcedefinitions"]["owned"].push_back(
            {{"name", crd}, {"version", "v1"}, {"kind", "Greeting"}});
    json["status"]["phase"] = "Succeeded";
    return json;
}

Json greeting_in(const std::string& ns, const std::string& name) {
    return named_object("example.com/v1", "Greeting", name, ns);
}

Json extension_for(const char* package) {
    Json json = named_object("olm.operatorframework.io/v1", "ClusterExtension", package, "");
    json["spec"] = {{"namespace", "n"},
                    {"serviceAccount", {{"name", "mine"}}},
                    {"source", {{"catalog", {{"packageName", package}}}}}};
    return json;
}

// shop, with OLM classic in namespace n, and its definition greetings.example.com.
ObjectServer with_shop() {
    return {.objects = {subscribed("shop", "shop.v1", "shop"),
                        csv_that_owns("shop.v1", {"greetings.example.com"})}};
}

bool plans_that(const UninstallPlan& plan, bool goes, const std::string& what) {
    for (const UninstallEffect& effect : plan.effects)
        if (effect.what == what) return effect.goes == goes;
    return false;
}

} // namespace

TEST_CASE("an operator that is installed in several ways is not uninstalled without asking which") {
    ObjectServer cluster = with_shop();
    cluster.objects.push_back(extension_for("shop"));
    try {
        (void)plan_uninstall(cluster.kubectl(), both_olms, {.package = "shop", .ns = "n"});
        FAIL("there is a plan");
    } catch (const OpenRequest& open) {
        CHECK(open.what() == std::string("shop is installed more than once"));
        CHECK(open.obstacle().remedy == Remedy::choose_olm);
    }
    CHECK(plan_uninstall(cluster.kubectl(), both_olms, {.package = "shop", .ns = "n", .olm = Olm::v1}).olm ==
          Olm::v1);
}

TEST_CASE("custom resources of a definition are counted once, and of many the first ones are shown") {
    ObjectServer cluster = with_shop();
    // An upgrade is on its way: two CSVs own the definition.
    cluster.objects[0]["status"]["currentCSV"] = "shop.v2";
    cluster.objects.push_back(csv_that_owns("shop.v2", {"greetings.example.com"}));
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
        cluster.objects.push_back(greeting_in("n", name));
    const UninstallPlan plan = plan_uninstall(cluster.kubectl(), both_olms, {.package = "shop", .ns = "n"});
    CHECK(plan.operand_count == 7);
    CHECK(plans_that(plan, false, "Greeting n/a"));
    CHECK(plans_that(plan, false, "Greeting n/e"));
    CHECK_FALSE(plans_that(plan, false, "Greeting n/f"));
    CHECK(plans_that(plan, false, "2 more of greetings.example.com"));
}

TEST_CASE("custom resources that could not be counted count as some") {
    Json crd =
        named_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "greetings.example.com", "");
    crd["metadata"]["labels"] = {{owner_name_label, "shop"}, {set_label, "shop"}};
    for (const Olm olm : {Olm::classic, Olm::v1, Olm::none}) {
        CAPTURE(to_string(olm));
        ObjectServer cluster = with_shop();
        cluster.objects.push_back(extension_for("shop"));
        cluster.objects.push_back(crd);
        cluster.forbidden = {"greetings"};
        cluster.raw = {{"/apis", R"({"kind":"APIGroupList","groups":[]})"}};
        UninstallRequest request{
            .package = "shop", .ns = "n", .olm = olm, .delete_crds = true, .delete_shared = true};
        const auto plan_of = [&] { return plan_uninstall(cluster.kubectl(), both_olms, request); };
        const UninstallPlan plan = plan_of();
        REQUIRE(plan.obstacle);
        CHECK(
            plan.obstacle->message.starts_with("it is not known whether this would delete custom resources: "
                                               "cannot list greetings of all namespaces"));
        CHECK(plan.obstacle->remedy == Remedy::delete_operands);
        request.delete_operands = true;
        CHECK_FALSE(plan_of().obstacle);
        request.delete_shared = false;
        CHECK(
            plan_of().obstacle->message.starts_with("the custom resources of greetings.example.com cannot be "
                                                    "deleted first: cannot list greetings"));
        request.delete_shared = true;
        if (olm == Olm::v1) continue; // deletes them always
        request.delete_operands = request.delete_crds = false;
        CHECK_FALSE(plan_of().obstacle);
        CHECK(plans_that(plan_of(), false, "CustomResourceDefinition greetings.example.com"));
    }
}

TEST_CASE("without the right to list other operators, a warning says that they may use the definitions") {
    ObjectServer cluster = with_shop();
    cluster.forbidden = {"customresourcedefinitions"};
    const UninstallPlan plan = plan_uninstall(cluster.kubectl(), {.classic = true},
                                              {.package = "shop", .ns = "n", .delete_crds = true});
    REQUIRE(plan.obstacle);
    CHECK(plan.obstacle->remedy == Remedy::delete_shared);
    CHECK(plan.obstacle->message.starts_with("this would delete what others use: perhaps others: cannot read "
                                             "CustomResourceDefinition greetings.example.com: user alice may "
                                             "not list customresourcedefinitions"));
    CHECK(plan.obstacle->message.ends_with("so it is not known who else uses the definitions"));
}

TEST_CASE("an OperatorGroup that other operators need stays") {
    ObjectServer cluster = with_shop();
    cluster.objects.push_back(named_object("operators.coreos.com/v1", "OperatorGroup", "g", "n"));
    const auto plan_with_groups = [&] {
        return plan_uninstall(cluster.kubectl(), both_olms,
                              {.package = "shop", .ns = "n", .delete_groups = true});
    };
    CHECK_FALSE(plan_with_groups().obstacle);
    cluster.objects.push_back(subscribed("other", "other.v1", "other"));
    const UninstallPlan plan = plan_with_groups();
    REQUIRE(plan.obstacle);
    CHECK(plan.obstacle->message == "namespace n has other operators that need its OperatorGroup");
    CHECK(plan.obstacle->remedy == Remedy::keep_groups);
}

TEST_CASE("a dependency is found by each of the ways in which an operator declares one") {
    struct Case {
        Json required;   // definitions
        Json properties; // of the bundle
        bool is_needed;
    };
    const auto property = [](const char* type, Json value) {
        return Json::array({{{"type", type}, {"value", std::move(value)}}});
    };
    const Json gvk{{"group", "example.com"}, {"version", "v1"}, {"kind", "Greeting"}};
    Json other_version = gvk;
    other_version["version"] = "v2";
    Json other_group = gvk;
    other_group["group"] = "ample.com";
    const Case cases[] = {
        {Json::array({{{"name", "greetings.example.com"}}}), Json::array(), true},
        {Json::array({{{"name", "others.example.com"}}}), Json::array(), false},
        {Json::array(), property("olm.package.required", {{"packageName", "greeter"}}), true},
        {Json::array(), property("olm.package.required", {{"packageName", "shop"}}), false},
        {Json::array(), property("olm.gvk.required", gvk), true},
        {Json::array(), property("olm.gvk.required", other_version), false},
        {Json::array(), property("olm.gvk.required", other_group), false},
        {Json::array(), property("olm.gvk", gvk), false},
        {Json::array(), Json::array(), false},
    };
    for (const Case& c : cases) {
        CAPTURE(c.required.dump());
        CAPTURE(c.properties.dump());
        ObjectServer cluster;
        Json mine = csv_that_owns("shop.v1", {});
        mine["spec"]["customresourcedefinitions"]["required"] = c.required;
        mine["metadata"]["annotations"]["operatorframework.io/properties"] =
            Json{{"properties", c.properties}}.dump();
        cluster.objects = {subscribed("shop", "shop.v1", "shop"), mine,
                           subscribed("greeter", "greeter.v1", "greeter-stable-people-olm"),
                           csv_that_owns("greeter.v1", {"greetings.example.com"})};
        const UninstallPlan plan = plan_uninstall(cluster.kubectl(), both_olms,
                                                  {.package = "shop", .ns = "n", .with_dependencies = true});
        CHECK(plans_that(plan, c.is_needed,
                         "Subscription n/greeter-stable-people-olm, which was installed as a dependency"));
        CHECK(plan.roots.size() == (c.is_needed ? 4 : 2));
    }
}

TEST_CASE("dependencies of dependencies go, too, and do not keep the OperatorGroup") {
    const auto needs = [](const char* csv, const char* package) {
        Json json = csv_that_owns(csv, {});
        json["metadata"]["annotations"]["operatorframework.io/properties"] = Json{
            {"properties",
             Json::array({{{"type", "olm.package.required"},
                           {"value", {{"packageName", package}}}}})}}.dump();
        return json;
    };
    ObjectServer cluster;
    cluster.objects = {subscribed("two", "two.v1", "two-stable-people-olm"),
                       csv_that_owns("two.v1", {}),
                       subscribed("one", "one.v1", "one-stable-people-olm"),
                       needs("one.v1", "two"),
                       subscribed("shop", "shop.v1", "shop"),
                       needs("shop.v1", "one"),
                       named_object("operators.coreos.com/v1", "OperatorGroup", "g", "n")};
    UninstallRequest request{.package = "shop", .ns = "n", .delete_groups = true, .with_dependencies = true};
    const auto plan_of = [&] { return plan_uninstall(cluster.kubectl(), both_olms, request); };
    const UninstallPlan plan = plan_of();
    CHECK_FALSE(plan.obstacle);
    CHECK(plan.roots.size() == 6);
    CHECK(
        plans_that(plan, true, "Subscription n/two-stable-people-olm, which was installed as a dependency"));
    request.with_dependencies = false;
    CHECK(plan_of().obstacle->remedy == Remedy::keep_groups);
    CHECK(plan_of().roots.size() == 2);
    // Another operator needs the second one.
    request.with_dependencies = true;
    request.delete_groups = false;
    cluster.objects.push_back(subscribed("other", "other.v1", "other"));
    cluster.objects.push_back(needs("other.v1", "two"));
    CHECK(plan_of().roots.size() == 4);
    CHECK(plans_that(plan_of(), false,
                     "Subscription n/two-stable-people-olm, which was installed as a dependency: other.v1 "
                     "needs it, too"));
}

TEST_CASE("rights that were not made for the extension stay") {
    ObjectServer cluster;
    Json made = named_object("rbac.authorization.k8s.io/v1", "ClusterRole", "made", "");
    made["metadata"]["labels"][installer_label] = "shop";
    Json labelled = made;
    labelled["metadata"]["name"] = "labelled";
    made["metadata"]["annotations"][created_for_annotation] = "shop";
    cluster.objects = {extension_for("shop"), made, labelled};
    const UninstallPlan plan =
        plan_uninstall(cluster.kubectl(), {.v1 = true}, {.package = "shop", .ns = "n"});
    CHECK(plan.olm == Olm::v1);
    CHECK(plans_that(plan, true, "ClusterRole made"));
    CHECK(plans_that(plan, false, "ClusterRole labelled, which opcat did not create"));
    CHECK(plans_that(plan, false, "ServiceAccount n/mine, which opcat did not create"));
    REQUIRE(plan.rest.size() == 1);
    CHECK(plan.rest[0].name == "made");
}

TEST_CASE("a reference with several bundles is not one operator to install without OLM") {
    ObjectServer cluster;
    CatalogTexts images{.texts = {{"two", R"(
{schema: olm.package, name: shop, defaultChannel: stable}
---
{schema: olm.channel, package: shop, name: stable, entries: [{name: a}, {name: b, replaces: a}]}
---
{schema: olm.bundle, package: shop, name: a, image: r.example/a, properties: [{type: olm.package, value: {packageName: shop, version: 1.0.0}}]}
---
{schema: olm.bundle, package: shop, name: b, image: r.example/b, properties: [{type: olm.package, value: {packageName: shop, version: 2.0.0}}]}
)"}}};
    try {
        (void)plan_plain_install(cluster.kubectl(), "n", {.package = "two"}, {}, images.access());
        FAIL("there is a plan");
    } catch (const OpenRequest& open) {
        CHECK(open.what() == std::string("two is not one bundle"));
        CHECK(open.obstacle().remedy == Remedy::name_bundle);
    }
}
