// Covers lib/bundle.
#include "opcat/authoring/migrate.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/bundle/manifests.hpp"
#include "opcat/catalog/write.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

const fs::path widgets = fs::path(OPCAT_TESTDATA) / "bundles" / "widgets";

std::string read(const fs::path& file) {
    return std::string(read_file(file, file.string())->bytes());
}

std::string rendered(const Catalog& catalog, Format format) {
    ThreadPool pool(1);
    std::string text;
    write_catalog(catalog, format, pool, [&](std::string_view, std::string_view piece) { text += piece; });
    return text;
}

BundleOptions with_template() {
    BundleOptions options;
    options.image_template = ImageTemplate::parse("quay.io/example/{{.Package}}-bundle:v{{.Version}}");
    return options;
}

using Files = std::vector<std::pair<std::string, std::string>>;

// A bundle of the files of a good one, some of them with other text; empty text removes the file.
class MadeBundle {
public:
    explicit MadeBundle(const Files& files) {
        std::map<std::string, std::string> all = {
            {"manifests/csv.yaml", csv("")},
            {"manifests/crd.yaml", std::string(crd)},
            {"metadata/annotations.yaml",
             "annotations: {operators.operatorframework.io.bundle.package.v1: foo}\n"}};
        for (const auto& [name, text] : files) all[name] = text;
        fs::create_directories(root() / "manifests");
        fs::create_directories(root() / "metadata");
        for (const auto& [name, text] : all)
            if (!text.empty()) std::ofstream(root() / name) << text;
    }

    static std::string csv(std::string_view more_spec, std::string_view annotations = "{}") {
        return fmt::format("apiVersion: operators.coreos.com/v1alpha1\n"
                           "kind: ClusterServiceVersion\n"
                           "metadata: {{name: foo.v1.0.0, annotations: {}}}\n"
                           "spec:\n"
                           "  version: 1.0.0\n"
                           "  customresourcedefinitions:\n"
                           "    owned: [{{name: foos.example.com, version: v1, kind: Foo}}]\n"
                           "{}",
                           annotations, more_spec);
    }
    static constexpr std::string_view crd =
        "apiVersion: apiextensions.k8s.io/v1\n"
        "kind: CustomResourceDefinition\n"
        "metadata: {name: foos.example.com}\n"
        "spec: {group: example.com, names: {kind: Foo, plural: foos}, versions: [{name: v1}]}\n";

    fs::path root() const { return directory_.path() / "bundle"; }
    LoadedCatalog load(const BundleOptions& options = {}) const {
        return load_bundle_directory(root(), options);
    }

private:
    TemporaryDirectory directory_{fs::temp_directory_path()};
};

std::vector<std::string> found(const LoadedCatalog& loaded) {
    std::vector<std::string> lines;
    for (const Diagnostic& d : loaded.diagnostics) {
        const std::string place =
            d.where ? fmt::format("{}:{}", fs::path(d.where.file->path()).filename().string(),
                                  d.where.file->position(d.where.offset).line)
                    : "-";
        lines.push_back(fmt::format("{} {} {} {}", to_string(d.severity), place, d.rule, d.message));
    }
    return lines;
}

bool any_contains(const std::vector<std::string>& lines, std::string_view part) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(part) != line.npos; });
}

std::vector<std::string> property_lines(const LoadedCatalog& loaded) {
    REQUIRE(loaded.catalog.bundles.size() == 1);
    std::vector<std::string> lines;
    for (const Property& property : loaded.catalog.bundles[0].properties)
        if (property.type != property_type::bundle_object) lines.emplace_back(property.type.text);
    return lines;
}

} // namespace

TEST_CASE("a bundle becomes the same olm.bundle as with opm") {
    const LoadedCatalog loaded = load_bundle_directory(widgets, with_template());
    CHECK(found(loaded).empty());
    CHECK(rendered(loaded.catalog, Format::json) == read(widgets.string() + ".json"));
}

TEST_CASE("its manifests can be turned into metadata") {
    LoadedCatalog loaded = load_bundle_directory(widgets, with_template());
    ThreadPool pool(2);
    CHECK(migrate_to_csv_metadata(loaded.catalog, pool).empty());
    CHECK(rendered(loaded.catalog, Format::yaml) == read(widgets.string() + "-migrated.yaml"));
}

TEST_CASE("a bundle that comes from an image says so") {
    const LoadedCatalog loaded =
        load_bundle_directory(widgets, {.image = "quay.io/example/b:1", .image_template = {}});
    REQUIRE(loaded.catalog.bundles.size() == 1);
    CHECK(loaded.catalog.bundles[0].image == "quay.io/example/b:1");
    CHECK(rendered(loaded.catalog, Format::json).find("\"image\": \"quay.io/example/b:1\"\n        }") !=
          std::string::npos);
}

TEST_CASE("two folders make a bundle directory") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path root = directory.path();
    CHECK_FALSE(is_bundle_directory(root));
    fs::create_directory(root / "manifests");
    CHECK_FALSE(is_bundle_directory(root));
    fs::create_directory_symlink(root / "manifests", root / "metadata");
    CHECK_FALSE(is_bundle_directory(root));
    fs::remove(root / "metadata");
    fs::create_directory(root / "metadata");
    CHECK(is_bundle_directory(root));
    CHECK_FALSE(is_bundle_directory(root / "nowhere"));
}

TEST_CASE("what opm ignores silently is a warning that names the file") {
    struct Case {
        std::string file, text, warning;
    };
    const Case cases[] = {
        {"manifests/a.yaml", "kind: [", "a.yaml is skipped"},
        {"manifests/a.yaml", "a: b\n", "a.yaml:1 bundle-file a.yaml is skipped: it has no kind"},
        {"manifests/a.yaml", "- kind: Foo\n", "a manifest must be an object, not a list"},
        {"manifests/a.yaml", "kind: Foo\napiVersion: a/b/c\n", "a.yaml:2"},
        {"manifests/README.md", "# Read me\n", "README.md is skipped"},
        {"manifests/a.json", "{\"kind\": }", "a.json is skipped"},
        {"manifests/empty.yaml", " ", "empty.yaml is skipped"},
        {"manifests/a.yaml", "# by a template\n---\nkind: Foo\n", "its first document is empty"},
        {"manifests/a.yaml", "kind: Foo\n---\nkind: Bar\n", "of a.yaml only the first document counts"},
        {"manifests/a.yaml", "kind: Foo\n--- more\n",
         "a.yaml:2 bundle-file a.yaml is skipped: only a comment may follow"},
        {"manifests/z.yaml", MadeBundle::csv(""),
         "z.yaml is skipped: a bundle has one ClusterServiceVersion"},
        {"metadata/dependencies.yaml", "dependencies: {}\n",
         "dependencies.yaml:1 bundle-file the dependencies in dependencies.yaml are ignored"},
        {"metadata/dependencies.yaml", "# licence\n---\ndependencies: []\n",
         "of dependencies.yaml only the first document counts, and it is empty"},
        {"metadata/properties.yaml", "properties: [", "properties.yaml is ignored"},
        {"manifests/csv.yaml", MadeBundle::csv("", "{olm.properties: '[{]'}"),
         "the annotation olm.properties is ignored"},
        {"manifests/csv.yaml", MadeBundle::csv("", "{olm.properties: '[5]'}"),
         "the annotation is used in part"},
        {"metadata/annotations.yaml", "annotations: {operators.operatorframework.io.bundle.channels.v1: a}\n",
         "the bundle does not belong to a package"},
    };
    for (const auto& [file, text, expected] : cases) {
        CAPTURE(expected);
        const MadeBundle bundle(Files{{file, text}});
        const LoadedCatalog loaded = bundle.load();
        const std::vector<std::string> lines = found(loaded);
        CAPTURE(fmt::format("{}", fmt::join(lines, "\n")));
        CHECK(loaded.catalog.bundles.size() == 1);
        CHECK(any_contains(lines, expected));
        CHECK_FALSE(any_contains(lines, "error "));
    }
}

TEST_CASE("what opm refuses is an error that says which file and why") {
    struct Case {
        std::string file, text, error;
    };
    const std::string deployment =
        "  install:\n    strategy: deployment\n    spec:\n      deployments:\n"
        "      - name: a\n        spec: {template: {spec: {containers: [{env: [{name: "
        "A, value: 8080}]}]}}}\n";
    const Case cases[] = {
        {"manifests/csv.yaml", "", "- bundle-csv"},
        {"manifests/csv.yaml", "# made by hand\n---\nkind: ClusterServiceVersion\n", "- bundle-csv"},
        {"manifests/crd.yaml", "",
         "csv.yaml:7 bundle-crd the owned CustomResourceDefinition foos.example.com"},
        {"manifests/crd.yaml",
         "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: 5}\n",
         "crd.yaml:3 field-type spec.group must be a string"},
        {"manifests/crd.yaml", "apiVersion: example.com/v1\nkind: CustomResourceDefinition\n",
         "crd.yaml:1 bundle-crd a CustomResourceDefinition cannot be of API group \"example.com\""},
        {"manifests/csv.yaml", "kind: ClusterServiceVersion\n", "it needs a spec"},
        {"manifests/csv.yaml", MadeBundle::csv("", "{a: 5}"), "csv.yaml:3 field-type"},
        {"manifests/csv.yaml", MadeBundle::csv("  relatedImages: [{image: 1}]\n"),
         "csv.yaml:8 field-type ClusterServiceVersion: spec.relatedImages[0].image must be a string"},
        {"manifests/csv.yaml", MadeBundle::csv(deployment), "env[0].value must be a string, not a number"},
        {"manifests/csv.yaml", MadeBundle::csv("  release: 2\n"),
         "csv.yaml:8 field-type ClusterServiceVersion: spec.release must be a string, not a number"},
        {"manifests/csv.yaml", replace_all(MadeBundle::csv(""), "operators.coreos.com/v1alpha1", "[x]"),
         "csv.yaml:1 field-type ClusterServiceVersion: apiVersion must be a string, not a list"},
        {"manifests/csv.yaml", replace_all(MadeBundle::csv(""), "foos.example.com", "foos"),
         "csv.yaml:7 bundle-crd \"foos\" is not the name of a CustomResourceDefinition"},
        {"manifests/csv.yaml", MadeBundle::csv("  apiservicedefinitions: {owned: [null]}\n"),
         "an item of spec.apiservicedefinitions.owned is null"},
        {"metadata/annotations.yaml", "", "- bundle-metadata"},
        {"metadata/annotations.yaml", "annotations: []\n", "- bundle-metadata"},
        {"metadata/dependencies.yaml", "dependencies: [{type: olm.gvk, value: {group: 5}}]\n",
         "dependencies.yaml:1 bundle-property"},
        {"metadata/properties.yaml", "properties: [{type: olm.package}]\n", "olm.package has no value"},
    };
    for (const auto& [file, text, expected] : cases) {
        CAPTURE(expected);
        const MadeBundle bundle(Files{{file, text}});
        const LoadedCatalog loaded = bundle.load();
        const std::vector<std::string> lines = found(loaded);
        CAPTURE(fmt::format("{}", fmt::join(lines, "\n")));
        CHECK(loaded.catalog.bundles.empty());
        CHECK(any_contains(lines, "error " + (expected.starts_with("-") ? expected : "")));
        CHECK(any_contains(lines, expected));
    }
}

TEST_CASE("properties come from files, the annotation and the manifests, each once") {
    const MadeBundle bundle(Files{
        {"manifests/csv.yaml",
         MadeBundle::csv(
             "  release: '2'\n",
             R"({olm.properties: '[{"type":"x","value":1},{"type":"x","value": 1},{"type":"x"},{"type":5}]'})")},
        {"metadata/properties.yaml",
         "properties:\n- {type: x, value: 1}\n- {type: 7, value: {b: 1, a: 2}}\n"
         "- {type: olm.gvk, value: {group: example.com, kind: Foo, version: v1}}\n"}});
    const LoadedCatalog loaded = bundle.load();
    CHECK(property_lines(loaded) == std::vector<std::string>{"", "7", "olm.gvk", "olm.package", "x", "x"});
    const std::string json = rendered(loaded.catalog, Format::json);
    CHECK(json.find("\"release\": \"2\"") != json.npos);
    CHECK(json.find("\"value\": null") != json.npos);
}

TEST_CASE("the APIs of services are properties, too") {
    const MadeBundle bundle(Files{
        {"manifests/csv.yaml",
         MadeBundle::csv("    required: [{name: bars.example.com, version: v3, kind: Bar}]\n"
                         "  apiservicedefinitions:\n"
                         "    owned: [{name: toys, group: a.example.com, version: v1, kind: Toy}]\n"
                         "    required: [{name: jobs, group: b.example.com, version: v2, kind: Job}]\n")}});
    const LoadedCatalog loaded = bundle.load();
    CHECK(found(loaded).empty());
    std::vector<std::string> apis;
    for (const Property& property : loaded.catalog.bundles.at(0).properties)
        if (property.type.text.starts_with("olm.gvk"))
            apis.push_back(fmt::format("{} {}", property.type.text, go_json(*property.value)));
    CHECK(apis == std::vector<std::string>{
                      R"(olm.gvk {"group":"a.example.com","kind":"Toy","version":"v1"})",
                      R"(olm.gvk {"group":"example.com","kind":"Foo","version":"v1"})",
                      R"(olm.gvk.required {"group":"b.example.com","kind":"Job","version":"v2"})",
                      R"(olm.gvk.required {"group":"example.com","kind":"Bar","version":"v3"})"});
}

TEST_CASE("an owned definition that is missing is reported with those that are there") {
    const MadeBundle bundle(
        Files{{"manifests/crd.yaml",
               replace_all(std::string(MadeBundle::crd), "{name: v1}", "{name: v2}, {name: v3}")}});
    const LoadedCatalog loaded = bundle.load();
    REQUIRE(loaded.diagnostics.size() == 1);
    REQUIRE(loaded.diagnostics[0].notes.size() == 1);
    CHECK(loaded.diagnostics[0].notes[0].message ==
          "found: foos.example.com v2 Foo, foos.example.com v3 Foo");
    const MadeBundle other(Files{
        {"manifests/crd.yaml", replace_all(std::string(MadeBundle::crd), "example.com", "example.org")}});
    CHECK(other.load().diagnostics.at(0).notes.at(0).message == "found: nothing of group example.com");
}

TEST_CASE("JSON text of properties is unchanged, and YAML is written as Go would write it") {
    const MadeBundle bundle(Files{
        {"manifests/csv.yaml",
         MadeBundle::csv("", R"({olm.properties: '[{"type":"x","value":{"b":4.10,"a":"\u003e &"}}]'})")},
        {"metadata/properties.yaml", "properties:\n- {type: y, value: {b: 4.10, a: '> &'}}\n"}});
    const Catalog catalog = bundle.load().catalog;
    const std::string json = rendered(catalog, Format::json);
    CHECK(json.find("\"b\": 4.10,\n                \"a\": \"\\u003e &\"\n") != json.npos);
    CHECK(json.find("\"a\": \"\\u003e \\u0026\",\n                \"b\": 4.1\n") != json.npos);
    const std::string yaml = rendered(catalog, Format::yaml);
    CHECK(yaml.find("  value:\n    a: '> &'\n    b: 4.1\n") != yaml.npos);
}

TEST_CASE("the last olm.package property wins") {
    const MadeBundle bundle(
        Files{{"manifests/csv.yaml", MadeBundle::csv("", R"({olm.properties: '[{"type":"olm.package",
                                  "value":{"packageName":"bar","version":"9"}}]'})")}});
    const std::string json = rendered(bundle.load().catalog, Format::json);
    CHECK(json.find("\"packageName\": \"bar\"") != json.npos);
    CHECK(json.find("\"packageName\": \"foo\"") == json.npos);
}

TEST_CASE("the last of several spellings in the annotation counts") {
    const MadeBundle bundle(
        Files{{"manifests/csv.yaml", MadeBundle::csv("", R"({olm.properties: '[{"type":"olm.package",
                                  "value":{"packageName":"foo","version":"8","Version":"9"}}]'})")}});
    CHECK(rendered(bundle.load().catalog, Format::json).find("\"version\": \"9\"") != std::string::npos);
}

TEST_CASE("scalars of YAML are strings where Go wants strings") {
    const MadeBundle bundle(
        Files{{"metadata/annotations.yaml",
               "annotations: {operators.operatorframework.io.bundle.package.v1: 1.10}\n"}});
    CHECK(bundle.load().catalog.bundles.at(0).package == "1.1");
    const MadeBundle as_json(
        Files{{"metadata/annotations.yaml",
               R"({"annotations": {"operators.operatorframework.io.bundle.package.v1": 1}})"}});
    CHECK(any_contains(found(as_json.load()), "error - bundle-metadata"));
}

TEST_CASE("hidden files and folders among the manifests are ignored") {
    const MadeBundle bundle(Files{{"manifests/.hidden", "kind: ["}});
    fs::create_directory(bundle.root() / "manifests" / "folder");
    CHECK(found(bundle.load()).empty());
}

TEST_CASE("a folder of more files than any bundle has is refused") {
    const MadeBundle bundle(Files{});
    for (int i = 0; i < 10'000; ++i) std::ofstream(bundle.root() / "manifests" / std::to_string(i));
    CHECK_THROWS_WITH_AS(bundle.load({.image = {}, .image_template = {}, .shown_root = "image:"}),
                         "cannot read image:/manifests: it has 10002 files, more than the limit of 10000",
                         Error);
}

TEST_CASE("a bundle without a folder cannot be read") {
    const MadeBundle bundle(Files{});
    fs::remove_all(bundle.root() / "metadata");
    CHECK_THROWS_AS(bundle.load(), Error);
}
