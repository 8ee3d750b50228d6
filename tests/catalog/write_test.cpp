#include "catalog_text.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/write.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace opcat;

namespace {

std::string rendered(const std::string& text, Format format = Format::yaml) {
    ThreadPool pool(1);
    const LoadedCatalog loaded = load_text(text);
    REQUIRE(shown(loaded.diagnostics) == "");
    return written(loaded.catalog, format, pool);
}

} // namespace

TEST_CASE("JSON has the fields of a schema in their order, without unknown and empty ones") {
    CHECK(rendered("extra: dropped\nname: p\ndescription: ''\nschema: olm.package\nproperties: []\n",
                   Format::json) ==
          "{\n    \"schema\": \"olm.package\",\n    \"name\": \"p\",\n    \"defaultChannel\": \"\"\n}\n");
    CHECK(rendered("schema: olm.channel\npackage: p\nname: c\nentries:\n- skips: []\n  name: a\n  x: 1\n",
                   Format::json) == "{\n    \"schema\": \"olm.channel\",\n    \"name\": \"c\",\n    "
                                    "\"package\": \"p\",\n    \"entries\": [\n        {\n"
                                    "            \"name\": \"a\"\n        }\n    ]\n}\n");
    CHECK(rendered("schema: olm.bundle\npackage: p\n", Format::json) ==
          "{\n    \"schema\": \"olm.bundle\",\n    \"package\": \"p\",\n    \"image\": \"\"\n}\n");
}

TEST_CASE("YAML has a --- before each blob and sorted keys") {
    CHECK(rendered("schema: olm.package\nname: p\ndefaultChannel: c\nicon: {base64data: Zm9v}\n") ==
          "---\ndefaultChannel: c\nicon:\n  base64data: Zm9v\n  mediatype: \"\"\nname: p\nschema: "
          "olm.package\n");
    CHECK(rendered("schema: olm.channel\npackage: p\nname: c\n") ==
          "---\nentries: null\nname: c\npackage: p\nschema: olm.channel\n");
    CHECK(rendered("schema: olm.deprecations\npackage: p\nentries: [{message: m, reference: {schema: "
                   "olm.package}}]\n") == "---\nentries:\n- message: m\n  reference:\n    schema: "
                                          "olm.package\npackage: p\nschema: olm.deprecations\n");
}

TEST_CASE("properties with manifests move after the others; related images are sorted") {
    CHECK(rendered("schema: olm.bundle\npackage: p\nname: b\nimage: i\nproperties:\n- {type: "
                   "olm.csv.metadata, value: 1}\n"
                   "- {type: z, value: {b: 1, a: 2}}\n- {type: olm.bundle.object, value: {data: e30=}}\n- "
                   "{type: a}\n"
                   "relatedImages: [{name: '2', image: z}, {name: '1', image: a}]\n") ==
          "---\nimage: i\nname: b\npackage: p\nproperties:\n- type: z\n  value:\n    a: 2\n    b: 1\n- type: "
          "a\n  value: null\n"
          "- type: olm.csv.metadata\n  value: 1\n- type: olm.bundle.object\n  value:\n    data: "
          "e30=\nrelatedImages:\n"
          "- image: a\n  name: \"1\"\n- image: z\n  name: \"2\"\nschema: olm.bundle\n");
}

TEST_CASE("blobs are written package by package: packages, channels, bundles by name, others by schema, "
          "deprecations") {
    const std::string text = "---\n{schema: z, name: free}\n"
                             "---\n{schema: w, package: q, name: other-of-q}\n"
                             "---\n{schema: x, package: p, name: other2}\n"
                             "---\n{schema: olm.deprecations, package: p, entries: []}\n"
                             "---\n{schema: olm.bundle, package: p, name: b2}\n"
                             "---\n{schema: olm.bundle, package: p, name: b1}\n"
                             "---\n{schema: olm.channel, package: p, name: c2}\n"
                             "---\n{schema: olm.channel, package: p, name: c1}\n"
                             "---\n{schema: a, package: p, name: other1}\n"
                             "---\n{schema: olm.package, name: p}\n"
                             "---\n{schema: olm.bundle, name: lost}\n"
                             "---\n{schema: a, name: free2}\n";
    const LoadedCatalog loaded = load_text(text);
    std::string order;
    for (const PackageBlobs& package : by_package(loaded.catalog)) {
        order += fmt::format("[{}]", package.package);
        for (const AnyBlob& blob : package.blobs)
            order +=
                " " +
                std::visit([](const auto* b) { return b->name.empty() ? "-" : std::string(b->name.text); },
                           blob);
    }
    CHECK(order == "[p] p c1 c2 b1 b2 other1 other2 -[q] other-of-q[] free free2");
}

TEST_CASE("the pieces of one package are written together, each with its name") {
    std::string text;
    for (int i = 0; i < 2'000; ++i)
        text += fmt::format("---\n{{schema: x, package: p{}, name: n{}}}\n", i % 7, i);
    ThreadPool pool(4);
    const LoadedCatalog loaded = load_text(text);
    std::vector<std::string> packages;
    write_catalog(loaded.catalog, Format::json, pool, [&](std::string_view package, std::string_view) {
        if (packages.empty() || packages.back() != package) packages.emplace_back(package);
    });
    CHECK(packages == std::vector<std::string>{"p0", "p1", "p2", "p3", "p4", "p5", "p6"});
}

TEST_CASE("written text is read back and written the same") {
    const std::string text =
        "schema: x\nname: o\nb: {z: [1.5, yes, 'yes', ~, \"\\u0001\"], a: \"one\\ntwo\\n\"}\n"
        "---\nschema: olm.package\nname: p\ndescription: \"it's: # - é 操\"\n";
    for (const Format format : {Format::json, Format::yaml}) {
        const std::string once = rendered(text, format);
        CHECK(rendered(once, format) == once);
        CHECK(rendered(rendered(text, Format::json), format) == once);
    }
}

TEST_CASE("a string that opm cannot write as YAML is an error that names the blob and a remedy") {
    const std::string text = "{\"schema\": \"x\", \"name\": \"blob1\", \"text\": \"\x7f\"}";
    CHECK_NOTHROW(rendered(text, Format::json));
    try {
        rendered(text);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(std::string_view(error.what()).find("blob1") != std::string_view::npos);
        CHECK(error.hint() == "write it as JSON");
    }
}

TEST_CASE("a package whose name is not that of a directory is not written to one") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const std::filesystem::path target = directory.path() / "target";
    ThreadPool pool(1);
    for (const std::string_view name : {".", "..", "../a", "a/b", "/a", "a\\0b"}) {
        CAPTURE(name);
        const LoadedCatalog loaded = load_text(
            fmt::format("---\nschema: olm.package\nname: a\n---\nschema: olm.package\nname: \"{}\"\n", name));
        REQUIRE(shown(loaded.diagnostics) == "");
        try {
            write_catalog_directory(loaded.catalog, Format::yaml, target, pool);
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.what() ==
                  fmt::format("cannot write package {} to a directory of its name: the name is not a single "
                              "element of a path",
                              name == "a\\0b" ? "\"a\\x00b\"" : fmt::format("\"{}\"", name)));
            CHECK(error.hint() == "rename the package, or write one stream instead of a directory");
        }
        CHECK(std::filesystem::is_empty(directory.path()));
    }
}

TEST_CASE("an error of the receiver of the text stops the writing") {
    ThreadPool pool(4);
    std::string text;
    for (int i = 0; i < 500; ++i) text += "---\n{schema: x}\n";
    const LoadedCatalog loaded = load_text(text);
    struct Full {};
    CHECK_THROWS_AS(write_catalog(loaded.catalog, Format::json, pool,
                                  [](std::string_view, std::string_view) { throw Full(); }),
                    Full);
}
