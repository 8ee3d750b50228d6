#include "../load_text.hpp"
#include "opcat/authoring/migrate.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/catalog/write.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace opcat;

namespace {

constexpr std::string_view csv =
    R"({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"name": "a",
        "labels": {"x": "y"}}, "spec": {"displayName": "A", "icon": [{"base64data": "aGk="}], "version": "1.0.0",
        "maintainers": [{"email": "a@example.com", "name": ""}], "links": [],
        "customresourcedefinitions": {"owned": [{"version": "v1", "kind": "K", "name": "ks.g", "more": 1,
            "specDescriptors": [{"path": "p", "value": {"b": 1, "a": 2}}]}]}}})";

std::string object(std::string_view manifest) {
    return fmt::format(R"({{"type": "olm.bundle.object", "value": {{"data": "{}"}}}})",
                       encode_base64(manifest));
}

LoadedCatalog bundle_with_properties(std::string_view image, std::string_view properties) {
    const std::string text = fmt::format(
        R"({{"schema": "olm.bundle", "name": "a", "package": "p", "image": "{}", "properties": [{}]}})",
        image, properties);
    LoadedCatalog loaded = load_text(text, "index.json");
    REQUIRE(loaded.diagnostics.empty());
    return loaded;
}

std::vector<std::string> types_after_migration(LoadedCatalog loaded) {
    ThreadPool pool(2);
    CHECK(migrate_to_csv_metadata(loaded.catalog, pool).empty());
    std::vector<std::string> types;
    for (const Property& property : loaded.catalog.bundles.at(0).properties)
        types.emplace_back(property.type.text);
    return types;
}

using Types = std::vector<std::string>;

} // namespace

TEST_CASE("the ClusterServiceVersion becomes metadata, in the order of the type's fields") {
    LoadedCatalog loaded = bundle_with_properties(
        "quay.io/a:1", object("kind: Service\n") + "," + object(csv) + R"(,{"type": "x", "value": 1})");
    ThreadPool pool(1);
    CHECK(migrate_to_csv_metadata(loaded.catalog, pool).empty());
    std::string text;
    write_catalog(loaded.catalog, Format::json, pool,
                  [&](std::string_view, std::string_view piece) { text += piece; });
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    CHECK(text == R"({"schema":"olm.bundle","name":"a","package":"p","image":"quay.io/a:1","properties":[)"
                  R"({"type":"x","value":1},{"type":"olm.csv.metadata","value":{"apiServiceDefinitions":{},)"
                  R"("crdDescriptions":{"owned":[{"name":"ks.g","version":"v1","kind":"K",)"
                  R"("specDescriptors":[{"path":"p","value":{"b":1,"a":2}}]}]},"displayName":"A",)"
                  R"("labels":{"x":"y"},"maintainers":[{"email":"a@example.com"}],"provider":{}}}]})");
}

TEST_CASE("annotations and labels are sorted, and the last of equal keys counts") {
    LoadedCatalog loaded = bundle_with_properties(
        "quay.io/a:1",
        object(
            R"({"kind": "ClusterServiceVersion", "metadata": {"annotations": {"b": "1", "a": "2", "b": "3"}}})"));
    ThreadPool pool(1);
    CHECK(migrate_to_csv_metadata(loaded.catalog, pool).empty());
    CHECK(loaded.catalog.bundles.at(0).properties.back().json.find(R"("annotations":{"a":"2","b":"3"})") !=
          std::string::npos);
}

TEST_CASE("bundles that opm leaves alone stay as they are") {
    const Types object_only = {"olm.bundle.object"};
    CHECK(types_after_migration(bundle_with_properties("", object(csv))) == object_only);
    CHECK(types_after_migration(bundle_with_properties("quay.io/a:1", object("kind: Service\n"))) ==
          object_only);
    CHECK(types_after_migration(bundle_with_properties("quay.io/a:1", "")) == Types{});
    CHECK(types_after_migration(bundle_with_properties(
              "quay.io/a:1", object(csv) + R"(,{"type": "olm.csv.metadata", "value": 5})")) ==
          Types{"olm.bundle.object", "olm.csv.metadata"});
}

TEST_CASE("manifests may be YAML, and other text is ignored") {
    CHECK(types_after_migration(bundle_with_properties(
              "quay.io/a:1", object("{no") + "," + object("kind: ClusterServiceVersion\n"))) ==
          Types{"olm.csv.metadata"});
}

TEST_CASE("a ClusterServiceVersion that does not decode is an error") {
    for (const std::string_view broken :
         {R"({"kind": "ClusterServiceVersion", "spec": {"keywords": "a"}})",
          R"({"kind": "ClusterServiceVersion", "spec": {"version": "latest"}})",
          R"({"kind": "ClusterServiceVersion", "metadata": {"creationTimestamp": "yesterday"}})",
          "{kind: ClusterServiceVersion}"}) {
        LoadedCatalog loaded = bundle_with_properties("quay.io/a:1", object(broken));
        ThreadPool pool(1);
        const Diagnostics found = migrate_to_csv_metadata(loaded.catalog, pool);
        REQUIRE(found.size() == 1);
        CHECK(found[0].rule == "csv-metadata");
        CHECK(found[0].where.file != nullptr);
    }
}
