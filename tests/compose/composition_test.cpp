// Covers lib/compose/composition.cpp; tests/registry/test_compose.py has references to images.
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/compose/composition.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace {

using namespace opcat;
namespace fs = std::filesystem;

constexpr std::string_view foo = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";

// A configuration with references to two files next to it.
struct TwoFiles {
    TemporaryDirectory directory{fs::temp_directory_path()};
    ThreadPool pool{1};
    std::unique_ptr<SourceFile> file;
    Arena arena;
    std::optional<ComposeConfig> config;

    TwoFiles() {
        write("one.yaml", foo);
        write("two.yaml", "schema: olm.package\nname: bar\ndefaultChannel: stable\n");
        write("catalog.yaml", "name: all\nreferences:\n- {name: a, image: one.yaml}\n"
                              "- {name: b, image: two.yaml}\n");
        Diagnostics diagnostics;
        const std::string path = (directory.path() / "catalog.yaml").string();
        file = read_file(path, path);
        config = read_compose_config(*file, arena, diagnostics);
        REQUIRE(config);
    }
    void write(const char* name, std::string_view text) const { write_file(directory.path() / name, text); }

    Composed run() {
        Composition composition(*file, *config, {}, pool);
        CHECK(composition.read_lock().empty());
        composition.take_directory();
        CHECK(composition.read_state().empty());
        const ComposePlan plan = composition.plan([](std::string_view) { return false; });
        const std::vector<LoadedCatalog> catalogs = composition.load(plan);
        CHECK(composition.check(catalogs).empty());
        Composed made = composition.write(plan, catalogs);
        composition.publish();
        composition.write_files_of(made.lock);
        return made;
    }
};

} // namespace

TEST_CASE(
    "a run makes the directory, the lock and the Dockerfile, and the next one changes what has changed") {
    TwoFiles project;
    const Composed first = project.run();
    CHECK(first.added == 2);
    CHECK(first.changed == 2);
    CHECK(first.edited.empty());
    for (const char* path : {"all/a/catalog.yaml", "all/b/catalog.yaml", "all.Dockerfile", "catalog.lock"})
        CHECK(fs::exists(project.directory.path() / path));

    project.write("one.yaml", "schema: olm.package\nname: foo\ndefaultChannel: fast\n");
    const Composed second = project.run();
    CHECK(second.added == 0);
    CHECK(second.changed == 1);
    REQUIRE(second.edited.size() == 1);
    CHECK(second.edited[0].parent_path().filename() == "a");
}

TEST_CASE("references that do not exist, and packages of several, are findings about the configuration") {
    TwoFiles project;
    project.write("two.yaml", foo);
    Composition composition(*project.file, *project.config, {}, project.pool);
    composition.take_directory();
    CHECK(composition.read_state().empty());
    const auto catalogs = composition.load(composition.plan([](std::string_view) { return false; }));
    CHECK(composition.check(catalogs).size() == 1);

    fs::remove(project.directory.path() / "two.yaml");
    Composition other(*project.file, *project.config, {}, project.pool);
    const Diagnostics findings = other.read_state();
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().where.file == project.file.get());
}

TEST_CASE("a directory with files of others is not taken") {
    TwoFiles project;
    project.run();
    fs::create_directory(project.directory.path() / "all/mine");
    Composition composition(*project.file, *project.config, {}, project.pool);
    CHECK_THROWS_AS(composition.take_directory(), Error);
}
