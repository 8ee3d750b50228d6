#include "object_server.hpp"
#include "opcat/cluster/snapshot.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

namespace {

Json classic_object(const char* kind, const char* ns, const char* name) {
    return named_object("operators.coreos.com/v1alpha1", kind, name, ns);
}

Json subscription_to(const char* catalog_ns, const char* catalog) {
    Json json = classic_object("Subscription", "shop", "a");
    json["spec"] = {{"name", "a"}, {"source", catalog}, {"sourceNamespace", catalog_ns}};
    json["status"] = {{"installedCSV", "a.v1"}, {"currentCSV", "a.v1"}, {"state", "AtLatestKnown"}};
    return json;
}

} // namespace

TEST_CASE("of the catalogs of other namespaces those matter that are global or that a Subscription names") {
    ObjectServer cluster;
    cluster.objects = {subscription_to("far", "named"), classic_object("CatalogSource", "far", "named"),
                       classic_object("CatalogSource", "far", "other"),
                       classic_object("CatalogSource", "olm", "global"),
                       classic_object("CatalogSource", "shop", "own")};
    std::vector<std::string> names;
    const ClusterSnapshot snapshot = read_cluster(cluster.kubectl(), {.classic = true}, Scope::in("shop"));
    for (const CatalogState& catalog : snapshot.catalogs) names.push_back(catalog.full_name());
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"far/named", "olm/global", "shop/own"});
    CHECK(snapshot.classic.global_ns == "olm");
}

TEST_CASE("in a namespace there are the extensions that install there") {
    ObjectServer cluster;
    for (const char* ns : {"shop", "other"}) {
        Json json =
            named_object("olm.operatorframework.io/v1", "ClusterExtension", std::string("in-") + ns, "");
        json["spec"] = {{"namespace", ns}, {"source", {{"catalog", {{"packageName", ns}}}}}};
        cluster.objects.push_back(json);
    }
    const auto names = [&](const Scope& scope) {
        std::vector<std::string> found;
        for (const OperatorState& state : read_cluster(cluster.kubectl(), {.v1 = true}, scope).operators)
            found.push_back(state.name);
        return found;
    };
    CHECK(names(Scope::in("shop")) == std::vector<std::string>{"in-shop"});
    CHECK(names(Scope::everywhere()).size() == 2);
}

TEST_CASE("a webhook belongs to the operator of its namespace, whose CSV may have the same name elsewhere") {
    ObjectServer cluster;
    Json webhook = named_object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "w", "");
    webhook["metadata"]["labels"] = {{"olm.owner", "a.v1"}, {"olm.owner.namespace", "shop"}};
    Json elsewhere = subscription_to("olm", "c");
    elsewhere["metadata"]["namespace"] = "other";
    cluster.objects = {subscription_to("olm", "c"), elsewhere, webhook};
    const ClusterSnapshot snapshot = read_cluster(cluster.kubectl(), {.classic = true}, Scope::everywhere());
    REQUIRE(snapshot.operators.size() == 2);
    for (const OperatorState& state : snapshot.operators)
        CHECK(state.webhooks == (state.ns == "shop"
                                     ? std::vector<std::string>{"ValidatingWebhookConfiguration w"}
                                     : std::vector<std::string>{}));
}

TEST_CASE("without a usual namespace of global catalogs, and without a flag, none is known") {
    ObjectServer cluster;
    const auto with_arguments = [&](Json arguments) {
        Json deployment = named_object("apps/v1", "Deployment", "packageserver", "olm");
        deployment["metadata"]["labels"]["app in (catalog-operator,packageserver)"] = "x"; // see ObjectServer
        deployment["metadata"]["labels"]["app"] = "packageserver";
        deployment["spec"]["template"]["spec"]["containers"] =
            Json::array({{{"name", "c"}, {"args", std::move(arguments)}}});
        cluster.objects = {deployment};
        return global_namespace(cluster.kubectl(), {});
    };
    CHECK(with_arguments({"--global-namespace", "shelf"}) == "shelf");
    CHECK(with_arguments({"-global-namespace=shelf"}) == "shelf");
    CHECK(with_arguments({"-v=4", "--global-namespaces", "shelf"}).empty());
    CHECK(with_arguments({"-v=4", "--global-namespace"}).empty());
    cluster.forbidden = {"deployments"};
    CHECK(with_arguments({"--global-namespace", "shelf"}).empty());
}
