#include "json_objects.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

TEST_CASE("an image template is filled with the cluster's version") {
    const std::string image =
        "registry.example/c:v{kube_major_version}.{kube_minor_version}.{kube_patch_version}";
    CHECK(fill_image_template(image, "v1.31.2+k3s1") == "registry.example/c:v1.31.2");
    CHECK(fill_image_template(image, "1.31.2") == "registry.example/c:v1.31.2");
    CHECK(fill_image_template("a:{other}", "v1.31.2") == "a:{other}");
    CHECK_FALSE(fill_image_template(image, "unknown"));
}

TEST_CASE("a Subscription has the requested fields, and leaves the rest to OLM") {
    const Object made =
        subscription_object({.package = "shop", .ns = "n", .catalog = "c", .catalog_ns = "olm"});
    CHECK(kube::to_text(made.value()) ==
          R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"shop",)"
          R"("namespace":"n"},"spec":{"name":"shop","source":"c","sourceNamespace":"olm",)"
          R"("installPlanApproval":"Automatic"}})");
}

TEST_CASE("fields that the server adds do not make an object different") {
    const Object wanted = operator_group("shop", "g", {});
    Json there = json_of(wanted.value());
    const auto satisfied = [&](const Object& one) {
        return kube::satisfies(object_of(there).value(), one.value());
    };
    there["metadata"]["uid"] = "1";
    there["spec"]["upgradeStrategy"] = "Default";
    there["status"] = {{"namespaces", {""}}};
    CHECK(satisfied(wanted));
    CHECK(
        kube::is_unchanged(operator_group("shop", "h", {}).value(), operator_group("shop", "h", {}).value()));
    CHECK_FALSE(kube::is_unchanged(wanted.value(), object_of(there).value()));
    there["spec"]["targetNamespaces"] = {"shop"};
    CHECK(satisfied(wanted)); // it was not requested, so it is not compared
    CHECK_FALSE(satisfied(operator_group("shop", "g", {"other"})));
    there.erase("spec"); // left out where it is empty
    CHECK(satisfied(wanted));
    CHECK(kube::is_unchanged(object_of({{"metadata", {{"name", "a"}, {"uid", "1"}}}, {"status", 1}}).value(),
                             object_of({{"metadata", {{"uid", "2"}, {"name", "a"}}}}).value()));
}

TEST_CASE("a catalog is ready when its status says that it is served") {
    Json source =
        json_of(catalog_source({.name = "c", .ns = "olm", .image = "registry.example/c:v1"}).value());
    const auto state = [&](const std::vector<Object>& pods = {}) {
        return state_of_catalog_source(object_of(source), pods);
    };
    CHECK(state().health == Health::working);
    source["status"]["connectionState"]["lastObservedState"] = "CONNECTING";
    CHECK(state().health == Health::working);
    source["status"]["connectionState"]["lastObservedState"] = "READY";
    CHECK(state().health == Health::ready);
    source["status"]["connectionState"]["lastObservedState"] = "TRANSIENT_FAILURE";
    CHECK(state().health == Health::failing);
    // What OLM says of the catalog comes before what its connection says.
    source["status"]["message"] = "couldn't ensure registry server";
    CHECK(state().health == Health::failing);
    CHECK(state().cause == "couldn't ensure registry server");
    source["status"]["reason"] = "RegistryServerError";
    CHECK(state().cause == "RegistryServerError: couldn't ensure registry server");
    // The pod has the cause.
    const Json pod{
        {"metadata", {{"name", "c-1"}, {"namespace", "olm"}, {"labels", {{"olm.catalogSource", "c"}}}}},
        {"status",
         {{"containerStatuses",
           Json::array({{{"name", "registry-server"},
                         {"state", {{"waiting", {{"reason", "ImagePullBackOff"}}}}}}})}}}};
    CHECK(state({object_of(pod)}).cause == "pod c-1: container registry-server: ImagePullBackOff");

    Json catalog = json_of(cluster_catalog({.name = "c", .image = "registry.example/c:v1"}).value());
    catalog["metadata"]["generation"] = 2;
    const auto conditions = [](int generation, const char* reason) {
        return Json::array({{{"type", "Serving"}, {"status", "True"}, {"reason", "Available"}},
                            {{"type", "Progressing"},
                             {"status", "True"},
                             {"reason", reason},
                             {"message", "m"},
                             {"observedGeneration", generation}}});
    };
    // The old content is served until the new reference is unpacked, or if it is wrong.
    catalog["status"]["conditions"] = conditions(1, "Succeeded");
    CHECK(state_of_cluster_catalog(object_of(catalog)).health == Health::working);
    catalog["status"]["conditions"] = conditions(2, "Retrying");
    CHECK(state_of_cluster_catalog(object_of(catalog)).health == Health::failing);
    catalog["status"]["conditions"] = conditions(2, "Succeeded");
    CHECK(state_of_cluster_catalog(object_of(catalog)).health == Health::ready);
}

TEST_CASE("the figures for Prometheus are those of the objects") {
    ClassicObjects objects;
    objects.add(objects_of({{{"kind", "ClusterServiceVersion"},
                             {"metadata", {{"name", "a.v1"}, {"namespace", "shop"}}},
                             {"spec", {{"version", "1.0.0"}}},
                             {"status", {{"phase", "Failed"}, {"reason", "say \"no\"\nor \\"}}}},
                            {{"kind", "CatalogSource"},
                             {"metadata", {{"name", "c"}, {"namespace", "olm"}}},
                             {"status", {{"connectionState", {{"lastObservedState", "READY"}}}}}},
                            {{"kind", "CatalogSource"}, {"metadata", {{"name", "d"}, {"namespace", "shop"}}}},
                            {{"kind", "Subscription"}, {"metadata", {{"name", "a"}}}}}));
    objects.catalogs_elsewhere = true;
    const std::string figures = prometheus_text(objects);
    const auto has = [&](const char* line) { return figures.find(line) != std::string::npos; };
    CHECK(has("\ncsv_count 1\n"));
    CHECK(has("\nsubscription_count 1\n"));
    CHECK(has("\ncatalog_source_count 2\n"));
    CHECK(has("\ncatalogsource_ready{name=\"c\",namespace=\"olm\"} 1\n"));
    CHECK(has("\ncatalogsource_ready{name=\"d\",namespace=\"shop\"} 0\n"));
    CHECK(has("\ncsv_succeeded{name=\"a.v1\",namespace=\"shop\",version=\"1.0.0\"} 0\n"));
    CHECK(has("\ncsv_abnormal{name=\"a.v1\",namespace=\"shop\",phase=\"Failed\",reason=\"say \\\"no\\\"\\nor "
              "\\\\\","
              "version=\"1.0.0\"} 1\n"));
}

TEST_CASE("figures of what was not read are left out") {
    const auto has = [](const ClassicObjects& objects, const char* name) {
        return prometheus_text(objects).find(name) != std::string::npos;
    };
    ClassicObjects objects;
    objects.catalogs_elsewhere = true;
    CHECK(has_all_figures(objects));
    objects.all_operators = false;
    CHECK(has(objects, "catalog_source_count 0"));
    for (const char* const name : {"csv_count", "csv_abnormal", "subscription_count", "install_plan_count"})
        CHECK_FALSE(has(objects, name));
    CHECK_FALSE(has_all_figures(objects));
    objects.all_operators = true;
    objects.all_catalogs = false;
    CHECK(has(objects, "csv_count 0"));
    CHECK_FALSE(has(objects, "catalog"));
    CHECK_FALSE(has_all_figures(objects));
}

TEST_CASE("a value made of JSON equals the one that is read from its text") {
    for (const Json& json :
         {Json::parse(R"({"b":[1,-1,0,true,false,null,"",[],{}],"a":{"b":{"c":"d"}}})"),
          Json::parse(
              R"([9223372036854775807,-9223372036854775808,9223372036854775808,18446744073709551615])"),
          Json::parse(R"([5.0,1e21,1e-7,0.1,-0,-0.0,1.7976931348623157e308])"),
          Json::parse(R"({"\u00fc \u0000\n":"\ud83d\ude00"})"), Json("a\xff\xe2\x82 b"), Json()}) {
        const opcat::SourceFile file("object", json.dump(-1, ' ', false, Json::error_handler_t::replace));
        opcat::Arena arena;
        uint32_t end = 0;
        opcat::Diagnostic problem;
        const auto read = opcat::read_json(file, 0, arena, end, problem);
        REQUIRE(read);
        const Object object = object_of(json);
        const opcat::Value made = object.value();
        // And back.
        CHECK(json_of(*read) == json_of(made));
        CHECK(made.kind() == read->kind());
        std::string expected;
        std::string text;
        opcat::append_compact_json(expected, *read);
        opcat::append_compact_json(text, made);
        CHECK(text == expected);
    }
}

TEST_CASE("the resource of a kind is its plural in lower case") {
    const std::pair<const char*, const char*> cases[] = {
        {"Deployment", "deployments"},
        {"NetworkPolicy", "networkpolicies"},
        {"Gateway", "gateways"},
        {"Ingress", "ingresses"},
        {"Endpoints", "endpoints"},
        {"PriorityClass", "priorityclasses"},
        {"ConsoleQuickStart", "consolequickstarts"},
    };
    for (const auto& [kind, plural] : cases) CHECK(plural_of_kind(kind) == plural);
}

TEST_CASE("a ClusterExtension that watches a namespace is configured to do so") {
    ExtensionSpec wanted{.name = "shop", .package = "shop", .ns = "n", .service_account = "a"};
    CHECK_FALSE(cluster_extension(wanted).at("spec", "config"));
    wanted.config = object_of({{"watchNamespace", "other"}});
    const Object made = cluster_extension(wanted);
    CHECK(made.text("spec", "config", "configType") == "Inline");
    CHECK(made.text("spec", "config", "inline", "watchNamespace") == "other");
}

TEST_CASE("a configuration takes up fields one by one") {
    const Object config = object_of({{"a", {{"b", "1"}, {"c", Json::array({1, 2})}}}});
    const auto merged_text = [](const Fields& one, const Fields& more) {
        return kube::to_text(merged(one, more).value());
    };
    CHECK(merged_text(config, object_of({{"a", {{"b", "2"}, {"d", "3"}}}})) ==
          R"({"a":{"b":"2","c":[1,2],"d":"3"}})");
    CHECK(merged_text(config, object_of({{"a", {{"c", Json::array({3})}}}})) == R"({"a":{"b":"1","c":[3]}})");
    CHECK(merged_text(config, {}) == R"({"a":{"b":"1","c":[1,2]}})");
    CHECK(merged_text({}, config) == R"({"a":{"b":"1","c":[1,2]}})");
    CHECK_FALSE(merged({}, {}));
}

TEST_CASE("a patch replaces the whole selector of an extension") {
    const Object before = object_of({{"spec",
                                      {{"source",
                                        {{"catalog",
                                          {{"selector",
                                            {{"matchLabels", {{"old", "1"}, {"kept", "2"}}},
                                             {"matchExpressions", Json::array()}}}}}}}}}});
    CHECK(
        kube::to_text(extension_patch(before, {.name = "shop",
                                               .package = "shop",
                                               .ns = "n",
                                               .service_account = {},
                                               .version = "1.0.0",
                                               .catalogs = {{"kept", "3"}, {"new", "4"}}})
                          .value()) ==
        R"({"spec":{"source":{"catalog":{"version":"1.0.0","selector":{"matchLabels":{"kept":"3","new":"4","old":null},"matchExpressions":null}}}}})");
}
