#include "object_server.hpp"
#include "opcat/cluster/catalogs.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

namespace {

constexpr const char* one_package = R"(
schema: olm.package
name: shop
defaultChannel: stable
---
{schema: olm.channel, package: shop, name: stable, entries: [{name: shop.v1.0.0}]}
---
schema: olm.bundle
package: shop
name: shop.v1.0.0
image: registry.example/shop-bundle:v1
properties: [{type: olm.package, value: {packageName: shop, version: 1.0.0}}]
)";

Json cluster_catalog_named(const char* name, const char* image) {
    Json json = named_object("olm.operatorframework.io/v1", "ClusterCatalog", name, "");
    json["spec"]["source"] = {{"type", "Image"}, {"image", {{"ref", image}}}};
    return json;
}

} // namespace

TEST_CASE("a version is the end of the usual name of a CSV") {
    for (const char* version : {"1.0.0", "1.0.0-rc.1", "1.0.0+build", "1.0"})
        CHECK(usual_csv_name("pre", version) == std::string("pre.v") + version);
    for (const char* name : {"pre.v1.0.0", "3scale.v1.0.0-rc.1"}) CHECK(usual_csv_name("pre", name) == name);
}

TEST_CASE("a catalog whose image cannot be read is read from the service that the cluster names") {
    const std::string answer = R"({"schema":"olm.package","name":"shop","defaultChannel":"stable"}
{"schema":"olm.channel","package":"shop","name":"stable","entries":[{"name":"shop.v1.0.0"}]})";
    struct Case {
        const char* base; // of the URLs in the status
        const char* path;
    };
    const Case cases[] = {
        {"https://content.catalogs-system.svc/catalogs/people",
         "/api/v1/namespaces/catalogs-system/services/https:content:443/proxy/catalogs/people/api/v1/all"},
        {"https://203.0.113.7/catalogs/people",
         "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/people/api/v1/"
         "all"},
        {"", "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/people/api/"
             "v1/all"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.base);
        ObjectServer cluster;
        Json catalog = cluster_catalog_named("people", "registry.example/people:v1");
        catalog["status"]["urls"]["base"] = c.base;
        cluster.objects = {catalog};
        cluster.raw[c.path] = answer;
        CatalogTexts images;
        const V1Catalogs catalogs(cluster.kubectl(), {}, images.access());
        CHECK(catalogs.remarks() ==
              std::vector<std::string>{"predicted from what the cluster serves of catalog people"});
        REQUIRE(catalogs.named().size() == 1);
        CHECK(catalogs.named()[0].index->find("shop") != nullptr);
        CHECK_FALSE(catalogs.incomplete());
    }
}

TEST_CASE("a catalog that is switched off is known as unavailable and not read") {
    ObjectServer cluster;
    Json off = cluster_catalog_named("off", "registry.example/off:v1");
    off["spec"]["availabilityMode"] = "Unavailable";
    cluster.objects = {off};
    CatalogTexts images;
    const V1Catalogs catalogs(cluster.kubectl(), {}, images.access());
    REQUIRE(catalogs.named().size() == 1);
    CHECK(catalogs.named()[0].unavailable);
    CHECK(catalogs.remarks().empty());
    CHECK_FALSE(catalogs.incomplete());
    CHECK(cluster.calls.size() == 1); // the list of catalogs
}

TEST_CASE("a registry that does not answer does not tell whether a tag has moved") {
    ObjectServer cluster;
    Json catalog = cluster_catalog_named("people", "registry.example/people:v1");
    catalog["status"]["resolvedSource"]["image"]["ref"] = "registry.example/people@sha256:1";
    cluster.objects = {catalog};
    CatalogTexts images{.texts = {{"registry.example/people@sha256:1", one_package}}};
    CatalogAccess access = images.access();
    access.still_names = [](const std::string&, const std::string&) -> bool { throw Error("no network"); };
    const V1Catalogs unknown(cluster.kubectl(), {}, access);
    CHECK_FALSE(unknown.newer_waits("people"));
    CHECK(unknown.remarks() == std::vector<std::string>{"predicted from the image of catalog people"});
    access.still_names = [](const std::string& image, const std::string& digest) {
        CHECK(image == "registry.example/people:v1");
        CHECK(digest == "sha256:1");
        return false;
    };
    CHECK(V1Catalogs(cluster.kubectl(), {}, access).newer_waits("people"));
}

TEST_CASE("manifests that neither the catalog nor an image has are an error") {
    CatalogTexts images{
        .texts = {{"catalog", one_package},
                  {"without-image", "---\nschema: olm.bundle\npackage: shop\nname: shop.v1.0.0\nproperties: "
                                    "[{type: olm.package, value: {packageName: shop, version: 1.0.0}}]\n"},
                  {"registry.example/shop-bundle:v1", one_package}}};
    const CatalogAccess access = images.access();
    const LoadedCatalog no_image = access.load("without-image");
    REQUIRE(no_image.catalog.bundles.size() == 1);
    CHECK_THROWS_WITH_AS((void)content_of(no_image.catalog.bundles.front(), access),
                         "bundle shop.v1.0.0 has neither manifests nor an image", Error);
    const LoadedCatalog with_image = access.load("catalog");
    CHECK_THROWS_WITH_AS(
        (void)content_of(with_image.catalog.bundles.front(), access),
        "image registry.example/shop-bundle:v1 of bundle shop.v1.0.0 holds no ClusterServiceVersion", Error);
}
