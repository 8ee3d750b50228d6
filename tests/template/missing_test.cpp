#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/template/missing.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view catalog_of_foo = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";

struct Project {
    TemporaryDirectory directory{fs::temp_directory_path()};
    std::vector<CatalogSetting> settings;
    size_t findings = 0;

    void add(const char* template_file, const char* catalog, std::string_view text) {
        write_file(directory.path() / catalog, text);
        CatalogSetting& setting = settings.emplace_back();
        setting.template_file = directory.path() / template_file;
        setting.catalog = directory.path() / catalog;
    }
    std::optional<std::vector<NewTemplate>> made() {
        return missing_templates(
            settings, TemplateKind::basic, [](const fs::path& path) { return path.filename().string(); },
            [&](const Diagnostics& found) { findings += found.size(); });
    }
};

} // namespace

TEST_CASE("each template that does not exist is made once, of its catalogs") {
    Project project;
    project.add("t.json", "b.yaml", catalog_of_foo);
    project.add("a.yaml", "c.yaml", catalog_of_foo);
    project.add("a.yaml", "d.yaml", catalog_of_foo);
    project.add("there.yaml", "e.yaml", catalog_of_foo);
    write_file(project.directory.path() / "there.yaml", "of the user");
    const auto made = project.made();
    REQUIRE(made);
    REQUIRE(made->size() == 2);
    CHECK((*made)[0].place.filename() == "a.yaml");
    CHECK((*made)[0].text.find("schema: olm.template.basic\n") != std::string::npos);
    CHECK((*made)[1].text.starts_with("{"));
    CHECK(project.findings == 0);
}

TEST_CASE("catalogs that have no template in common are named") {
    Project project;
    project.add("t.yaml", "a.yaml", catalog_of_foo);
    project.add("t.yaml", "b.yaml", "schema: olm.package\nname: bar\ndefaultChannel: stable\n");
    CHECK_THROWS_WITH_AS(project.made(), "a.yaml and b.yaml differ, and t.yaml would be the template of both",
                         RequestError);
}

TEST_CASE("errors in a catalog are reported, and no template is made") {
    Project project;
    project.add("s.yaml", "a.yaml", "schema: [\n");
    project.add("t.yaml", "b.yaml", catalog_of_foo);
    CHECK(!project.made());
    CHECK(project.findings > 0);
}

TEST_CASE("what follows the first document of a template is another one") {
    CHECK(!has_other_documents(SourceFile("a", "---\n# nothing\n---\nschema: olm.semver\n---\n")));
    CHECK(has_other_documents(SourceFile("a", "schema: olm.semver\n---\na: b\n")));
}
