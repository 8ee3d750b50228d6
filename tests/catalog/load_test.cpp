#include "catalog_text.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/load.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

std::string diagnostics_text(const LoadedCatalog& loaded) {
    std::string text;
    for (const Diagnostic& d : loaded.diagnostics) text += to_text(d, {});
    return text;
}

std::string names(const Catalog& catalog) {
    std::string text;
    for (const Bundle& bundle : catalog.bundles) text += fmt::format("{} ", bundle.name.text);
    for (const OtherBlob& blob : catalog.others) text += fmt::format("{} ", blob.name.text);
    return text;
}

} // namespace

TEST_CASE("all files of a directory make one catalog, in the order of the walk") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    fs::create_directories(directory.path() / "b");
    write_file(directory.path() / "c.yaml", "schema: x\nname: third\n");
    write_file(directory.path() / "b" / "any.name", "{\"schema\": \"x\", \"name\": \"second\"}");
    write_file(directory.path() / "a", "---\nschema: x\nname: first\n");
    write_file(directory.path() / "empty", "");
    write_file(directory.path() / "README.md", "not: a: catalog\n");
    write_file(directory.path() / ".indexignore", "README.md\n");
    ThreadPool pool(2);
    const LoadedCatalog loaded = load_catalog(directory.path(), pool);
    CHECK(diagnostics_text(loaded) == "");
    CHECK(names(loaded.catalog) == "first second third ");
}

TEST_CASE("a single file is a catalog, too") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    write_file(directory.path() / "a", "schema: x\nname: one\n");
    ThreadPool pool(1);
    CHECK(names(load_catalog(directory.path() / "a", pool).catalog) == "one ");
    CHECK_THROWS_AS(load_catalog(directory.path() / "absent", pool), Error);
}

TEST_CASE("an unreadable file is a finding that names it, and the others are loaded") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    write_file(directory.path() / "good.yaml", "schema: x\nname: good\n");
    write_file(directory.path() / "large.yaml", "schema: x\nname: large-than-the-limit\n");
    REQUIRE(::mkfifo((directory.path() / "fifo").c_str(), 0600) == 0);
    fs::create_symlink("/etc/hostname", directory.path() / "link");
    fs::create_symlink("absent", directory.path() / "dangling");
    ThreadPool pool(2);
    const LoadedCatalog loaded = load_catalog(directory.path(), pool, {.max_file_size = 30});
    CHECK(names(loaded.catalog) == "good ");
    REQUIRE(loaded.diagnostics.size() == 4);
    const std::string text = diagnostics_text(loaded);
    for (const char* name : {"fifo", "link", "dangling", "large.yaml"}) {
        CAPTURE(name);
        CHECK(text.find(name) != std::string::npos);
    }
    for (const Diagnostic& d : loaded.diagnostics) CHECK(d.rule == "file");
}

TEST_CASE("a mistake in one file does not hide those of others") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    write_file(directory.path() / "a.yaml", "schema: x\nname: n\n---\nname: y\n");
    write_file(directory.path() / "b.json",
               "{\"schema\": \"x\"} {\"schema\": \"x\"} {\"schema\": \"x\",}\n{\"name\": 1} {\"name\": }");
    write_file(directory.path() / "c.yaml", "a: b: c\n---\n- list\n---\nschema: x\nname: good\n");
    ThreadPool pool(2);
    const LoadedCatalog loaded = load_catalog(directory.path(), pool);
    CHECK(names(loaded.catalog).ends_with("good "));
    // After a syntax error in JSON the next blob cannot be found: that is reported once.
    CHECK(shown(loaded.diagnostics) ==
          "field-type 2 n\nfield-type 4 y\nsyntax 1 }\nfield-type 2 1\nsyntax 1 b: c\nnot-a-blob 3 -");
}

TEST_CASE("JSON may be followed by YAML") {
    const LoadedCatalog loaded =
        load_text("{\"schema\":\"x\",\"name\":\"json\"}\n---\nschema: x\nname: yaml\n");
    CHECK(diagnostics_text(loaded) == "");
    CHECK(names(loaded.catalog) == "json yaml ");
}

TEST_CASE("a large file is parsed in many portions and stays in order, on any number of threads") {
    std::string text;
    std::string expected;
    for (int i = 0; i < 4'000; ++i) {
        const std::string name = fmt::format("b{}", i);
        text += fmt::format("---\nschema: olm.bundle\nname: {}\npackage: foo\nimage: {}\n", name,
                            std::string(i % 1000, 'x'));
        if (i % 100 == 99) text += "---\nno: schema\n";
        expected += name + " ";
    }
    REQUIRE(text.size() > size_t{4} * 256 * 1024);
    ThreadPool one(1);
    ThreadPool many(8);
    const LoadedCatalog alone = load_text(text);
    CHECK(names(alone.catalog) == expected);
    CHECK(alone.diagnostics.size() == 40);
    for (int round = 0; round < 5; ++round) {
        const LoadedCatalog loaded = load_text(text, "catalog.yaml", 8);
        CHECK(names(loaded.catalog) == expected);
        CHECK(diagnostics_text(loaded) == diagnostics_text(alone));
        CHECK(written(loaded.catalog, Format::yaml, many) == written(alone.catalog, Format::yaml, one));
    }
}

TEST_CASE("catalogs can be joined, and keep what they refer to") {
    Catalog all;
    for (const char* name : {"one", "two"})
        append(all, load_text(fmt::format("schema: x\nname: {}\n", name)).catalog);
    CHECK(names(all) == "one two ");
}
