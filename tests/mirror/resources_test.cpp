// What clusters need of a mirror. Covers lib/mirror/source_template.cpp.
#include "opcat/base/error.hpp"
#include "opcat/mirror/resources.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace opcat;

namespace {

const std::string digest = "sha256:" + std::string(64, 'a');

MirrorImage image_of(const std::string& source, const std::string& catalog = "org/index:v4.18") {
    const PullSpec spec = required(PullSpec::parse(source));
    return {{spec}, mirror_name(spec), {}, {catalog}};
}

// "NAME" or "NAME: TEXT" of the file that is asked for.
std::string files(const ResourceNames& names, std::string_view wanted = {},
                  std::vector<MirroredCatalog> catalogs = {{{"org/index", "v4.18"}, "", {}}},
                  const std::vector<MirrorImage>& more = {}) {
    std::vector<MirrorImage> images{image_of("r.example/org/foo@" + digest), image_of("r.example/org/bar:v1"),
                                    image_of("r.example/one@" + digest),
                                    image_of("r.example/tools/tool@" + digest, additional_images)};
    for (const MirrorImage& one : more) images.push_back(one);
    names.check(catalogs.size());
    std::string shown;
    for (const ResourceFile& file : cluster_resources(images, catalogs, "m.example/all", names)) {
        if (wanted.empty()) shown += (shown.empty() ? "" : " ") + file.name;
        if (file.name == wanted) shown = file.text;
    }
    return shown;
}

} // namespace

TEST_CASE("files and objects have fixed names, chosen ones, or those of oc-mirror") {
    CHECK(files({}) ==
          "cc-index-v4-18.yaml cs-index-v4-18.yaml idms-opcat.yaml itms-opcat.yaml registries.conf");
    CHECK(files({.prefix = "shop"}) ==
          "idms-shop.yaml itms-shop.yaml registries.conf shop-cc-index-v4-18.yaml shop-cs-index-v4-18.yaml");
    CHECK(files({.catalog = "mine"}) ==
          "cc-mine.yaml cs-mine.yaml idms-opcat.yaml itms-opcat.yaml registries.conf");
    CHECK(files({.oc_mirror = true}) ==
          "cc-index-v4-18.yaml cs-index-v4-18.yaml idms-oc-mirror.yaml itms-oc-mirror.yaml registries.conf");
    const std::vector<MirroredCatalog> by_digest{{{"org/index", "sha256-0123456789abcdef"}, "", {}}};
    CHECK(files({}, "cs-index-sha256-01234.yaml", by_digest).find("name: cs-index-sha256-01234\n") !=
          std::string::npos);
    CHECK(files({.oc_mirror = true}, "cs-index-0123456789ab.yaml", by_digest)
              .find("name: cs-index-0123456789ab\n") != std::string::npos);
}

TEST_CASE("the mirror sets of oc-mirror name paths, by what their images are for") {
    CHECK(
        files({.oc_mirror = true}, "idms-oc-mirror.yaml") ==
        "---\napiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:\n  name: "
        "idms-generic-0\nspec:\n  "
        "imageDigestMirrors:\n  - source: r.example/tools\n    mirrors:\n    - m.example/all/tools\n"
        "---\napiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:\n  name: "
        "idms-operator-0\nspec:\n  "
        "imageDigestMirrors:\n  - source: r.example/one\n    mirrors:\n    - m.example/all/one\n  - source: "
        "r.example/org\n    mirrors:\n    - m.example/all/org\n");
    CHECK(files({}, "itms-opcat.yaml") ==
          "apiVersion: config.openshift.io/v1\nkind: ImageTagMirrorSet\nmetadata:\n  name: "
          "itms-opcat\nspec:\n  "
          "imageTagMirrors:\n  - source: r.example/org/bar\n    mirrors:\n    - m.example/all/org/bar\n");
}

TEST_CASE("images of releases have mirror sets of their own, by digest and by tag") {
    MirrorImage release = image_of("r.example/ocp/release:4.16.1-x86_64@" + digest, release_images);
    release.target = {"openshift/release-images", "4.16.1-x86_64"};
    MirrorImage component = image_of("r.example/ocp/dev@" + digest, release_images);
    component.target = {"openshift/release", "4.16.1-x86_64-etcd"};
    const std::string of_digests =
        files({.oc_mirror = true}, "idms-oc-mirror.yaml", {}, {release, component});
    CHECK(of_digests.substr(of_digests.rfind("---\n")) ==
          "---\napiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:\n  name: "
          "idms-release-0\nspec:\n  imageDigestMirrors:\n"
          "  - source: r.example/ocp/dev\n    mirrors:\n    - m.example/all/openshift/release\n"
          "  - source: r.example/ocp/release\n    mirrors:\n    - m.example/all/openshift/release-images\n");
    const std::string of_tags = files({.oc_mirror = true}, "itms-oc-mirror.yaml", {}, {release, component});
    CHECK(of_tags.substr(of_tags.rfind("---\n")) ==
          "---\napiVersion: config.openshift.io/v1\nkind: ImageTagMirrorSet\nmetadata:\n  name: "
          "itms-release-0\nspec:\n  imageTagMirrors:\n"
          "  - source: r.example/ocp/release\n    mirrors:\n    - m.example/all/openshift/release-images\n");
    CHECK(files({}, "itms-opcat.yaml", {}, {release, component}).find("release") == std::string::npos);
}

TEST_CASE("a repository whose images are in several places has several mirrors") {
    MirrorImage one = image_of("r.example/far/tool:v1", additional_images);
    one.target.repository = "one/tool";
    MirrorImage two = image_of("r.example/far/tool:v2", additional_images);
    two.target.repository = "two/tool";
    MirrorImage three = image_of("r.example/far/tool@" + digest, additional_images);
    three.target.repository = "three/tool";
    CHECK(files({}, "itms-opcat.yaml", {}, {one, two, three})
              .find("  - source: r.example/far/tool\n    mirrors:\n    - m.example/all/one/tool\n"
                    "    - m.example/all/two/tool\n") != std::string::npos);
    CHECK(files({}, "registries.conf", {}, {three, one, two})
              .find("location = \"r.example/far/tool\"\n\n[[registry.mirror]]\nlocation = "
                    "\"m.example/all/one/tool\"\n\n[[registry.mirror]]\nlocation = "
                    "\"m.example/all/two/tool\"\n\n[[registry.mirror]]\nlocation = "
                    "\"m.example/all/three/tool\"\npull-from-mirror = \"digest-only\"\n") !=
          std::string::npos);
}

TEST_CASE("a CatalogSource extracts the catalog of an image without a command, and polls on request") {
    const std::vector<MirroredCatalog> scratch{{{"org/index", "v4.18"}, "/configs", {}}};
    const std::string source = files({.ns = "olm", .poll = "1h30m"}, "cs-index-v4-18.yaml", scratch);
    CHECK(source == "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata:\n  name: "
                    "cs-index-v4-18\n  namespace: "
                    "olm\nspec:\n  grpcPodConfig:\n    extractContent:\n      catalogDir: /configs\n    "
                    "securityContextConfig: "
                    "restricted\n  image: m.example/all/org/index:v4.18\n  sourceType: grpc\n  "
                    "updateStrategy:\n    registryPoll:\n"
                    "      interval: 1h30m\n");
    CHECK(files({.poll = "1h30m"}, "cc-index-v4-18.yaml").find("pollIntervalMinutes: 90\n") !=
          std::string::npos);
}

TEST_CASE("names that Kubernetes does not take are refused") {
    const MirroredCatalog one{{"a", "v1"}, "", {}};
    struct Case {
        ResourceNames names;
        size_t catalogs;
        std::string_view why;
    };
    const Case cases[] = {{{.catalog = "My"}, 1, "\"My\" is not the name of an object"},
                          {{.prefix = "a_b"}, 1, "\"a_b\" is not the name of an object"},
                          {{.ns = "a.b"}, 1, "\"a.b\" is not the name of a namespace"},
                          {{.poll = "30s"}, 1, "\"30s\" is not a whole number of minutes"},
                          {{.catalog = "one"}, 2, "several catalogs cannot have one name"}};
    for (const Case& c : cases) CHECK_THROWS_WITH_AS(c.names.check(c.catalogs), c.why.data(), RequestError);
}

TEST_CASE("a template keeps its fields, and gets the name and the image") {
    const SourceFile file(
        "cs.yaml", "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: x, "
                   "labels: {a: b}}\nspec:\n  sourceType: grpc\n  displayName: Shop\n  grpcPodConfig: "
                   "{nodeSelector: {a: b}}\n");
    Diagnostics diagnostics;
    const auto source = SourceTemplate::read(file, diagnostics);
    REQUIRE(source);
    CHECK(files({}, "cs-index-v4-18.yaml", {{{"org/index", "v4.18"}, "", source}}) ==
          "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata:\n  labels:\n    a: b\n  "
          "name: "
          "cs-index-v4-18\n  namespace: openshift-marketplace\nspec:\n  displayName: Shop\n  "
          "grpcPodConfig:\n    "
          "nodeSelector:\n      a: b\n    securityContextConfig: restricted\n  image: "
          "m.example/all/org/index:v4.18\n  "
          "sourceType: grpc\n");
    for (const auto& [text, why] :
         {std::pair("kind: Pod\n", "the template is not a CatalogSource"),
          {"apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nspec: {sourceType: internal}\n",
           "spec.sourceType is not grpc"},
          {"apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nspec: {sourceType: grpc, "
           "configMap: a}\n",
           "the template has spec.configMap, and so no image"}}) {
        const SourceFile bad("cs.yaml", text);
        Diagnostics found;
        CHECK_FALSE(SourceTemplate::read(bad, found));
        REQUIRE(found.size() == 1);
        CHECK(found[0].message == why);
    }
}
