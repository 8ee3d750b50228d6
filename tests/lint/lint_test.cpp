#include "../catalog/catalog_text.hpp"
#include "opcat/lint/catalog_settings.hpp"
#include "opcat/lint/lint.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

std::string linted(const std::string& text, const LintOptions& options = {}) {
    ThreadPool pool(1);
    const LoadedCatalog loaded = load_text(text);
    std::string result;
    for (const Diagnostic& finding : lint({{Source("c", loaded)}}, options, pool).findings)
        result +=
            fmt::format("{}{} {}", result.empty() ? "" : ", ", to_string(finding.severity), finding.rule);
    return result;
}

} // namespace

TEST_CASE("lint runs every kind of check, and reports nothing twice") {
    const std::string one_bundle = package() + channel("{name: a}");
    const std::string requires_bar =
        ", {type: olm.package.required, value: {packageName: bar, versionRange: banana}}";
    const struct {
        std::string_view what;
        std::string text;
        std::string_view findings;
    } cases[] = {
        {"nothing at all", "", "error empty-catalog"},
        {"a valid catalog", one_bundle + bundle("a", "1.0.0"), ""},
        {"a check of packages", one_bundle, "error entry-without-bundle"},
        {"what did not load seems missing: consequences are left out",
         one_bundle + "---\n{schema: olm.bundle, package: foo, name: 1}\n", "error field-type"},
        {"what is read, but not as it is written",
         one_bundle + bundle("a", "1.0.0") + "---\n{schema: x, name: b, name: c}\n", "warning key-duplicate"},
        {"properties that OLM reads when it resolves, not once more by the schema",
         one_bundle + bundle("a", "1.0.0", requires_bar), "warning dependency"},
        {"a dependency that nothing can meet",
         one_bundle +
             bundle(
                 "a", "1.0.0",
                 ", {type: olm.package.required, value: {packageName: bar, versionRange: '<1.0.0 >2.0.0'}}"),
         "warning dependency"},
        {"a schema", one_bundle + with_image("r.example/foo", ", relatedImages: [{name: b, image: \"\"}]"),
         "warning schema"},
        {"the upgrade graph",
         package() + channel("{name: a}, {name: b}, {name: c, replaces: b, skips: [a]}") +
             bundle("a", "1.0.0") + bundle("b", "1.1.0") + bundle("c", "1.2.0"),
         "note graph-unreachable"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        CHECK(linted(c.text) == c.findings);
    }
}

TEST_CASE("lint only finds what opm refuses, if requested") {
    const std::string text = package() + channel("{name: a, skiprange: x, unknown: y}");
    CHECK(linted(text) ==
          "error entry-without-bundle, warning key-case, error skip-range-syntax, warning unknown-field");
    CHECK(linted(text, {.rules = LintOptions::Rules::enforced_by_opm}) ==
          "error entry-without-bundle, error skip-range-syntax");
    CHECK(linted("", {.rules = LintOptions::Rules::enforced_by_opm}) == "");
}

TEST_CASE("strict lint makes errors of warnings") {
    CHECK(linted("", {.selection = {.strict = true}}) == "error empty-catalog");
}

TEST_CASE("only loading errors are reported if a command needs a valid catalog") {
    ThreadPool pool(1);
    const LoadedCatalog loaded = load_text(package() + "---\n{schema: olm.bundle, package: foo, name: 1}\n");
    CHECK(shown(find_errors(loaded, pool)) == "field-type 4 1");
    CHECK(shown(find_errors(loaded.catalog, pool)) == "default-channel 2 stable");
}

TEST_CASE("a directory of catalogs is distinguished from a catalog") {
    ThreadPool pool(1);
    struct Several {
        std::string_view what;
        std::vector<std::pair<std::string, std::string>> files; // the path, and the package that it defines
        std::string_view message;
    };
    const Several all[] = {
        {"one catalog", {{"c/a/x.yaml", "a"}, {"c/b/x.yaml", "b"}}, ""},
        {"the catalogs of two versions",
         {{"c/v1/a/x.yaml", "a"}, {"c/v1/b/x.yaml", "b"}, {"c/v2/a/x.yaml", "a"}},
         "c is not one catalog but holds 2 catalogs: v1 and v2, which define the same package"},
        {"a single package in each",
         {{"v1/x.yaml", "a"}, {"v2/x.yaml", "a"}, {"v3/x.yaml", "a"}, {"v4/x.yaml", "a"}},
         ". is not one catalog but holds 4 catalogs: v1, v2, v3 and 1 more, which define the same package"},
        {"a package that is copied",
         {{"c/a/x.yaml", "a"}, {"c/b/x.yaml", "b"}, {"c/d/x.yaml", "d"}, {"c/a-copy/x.yaml", "a"}},
         ""},
        {"a package twice in one directory", {{"c/a/x.yaml", "a"}, {"c/a/y.yaml", "a"}}, ""},
        {"a package twice in one file", {{"c/x.yaml", "a"}, {"c/x.yaml", "a"}}, ""},
    };
    for (const Several& c : all) {
        CAPTURE(c.what);
        std::vector<std::unique_ptr<SourceFile>> files;
        for (const auto& [path, name] : c.files)
            files.push_back(std::make_unique<SourceFile>(path, "schema: olm.package\nname: " + name + "\n"));
        const LoadedCatalog loaded = load_catalog(std::move(files), pool);
        std::string message;
        for (const Diagnostic& finding : lint({{Source("c", loaded)}}, {}, pool).findings)
            if (finding.rule == "several-catalogs") message = finding.message;
        CHECK(message == c.message);
    }
}

TEST_CASE("a name that is too long for findings to repeat is a [limit] error, and nothing else is checked") {
    const auto found_with = [](size_t length) {
        const std::string name(length, 'c');
        return linted("{schema: olm.package, name: foo, defaultChannel: " + name +
                      "}\n---\n{schema: olm.channel, package: foo, name: " + name +
                      ", entries: [{name: a}, {name: a}]}\n");
    };
    CHECK(found_with(4096) == "error entry-without-bundle, error entry-duplicate");
    CHECK(found_with(4097) == "error limit");
}

TEST_CASE("a misspelt type of properties is counted where several bundles have it") {
    ThreadPool pool(1);
    const auto message_of = [&](const std::string& bundles) {
        std::string message;
        const LoadedCatalog loaded =
            load_text(package() + channel("{name: a}, {name: b, replaces: a}") + bundles);
        for (const Diagnostic& finding : lint({{Source("c", loaded)}}, {}, pool).findings)
            if (finding.message.find("olm.gvkk") != std::string::npos) message = finding.message;
        return message;
    };
    const std::string misspelt = ", {type: olm.gvkk, value: {group: g, kind: K, version: v1}}";
    CHECK(message_of(bundle("a", "1.0.0", misspelt) + bundle("b", "1.1.0")) ==
          "the property type \"olm.gvkk\" has no meaning to OLM");
    CHECK(message_of(bundle("a", "1.0.0", misspelt) + bundle("b", "1.1.0", misspelt)) ==
          "the property type \"olm.gvkk\" has no meaning to OLM (2 properties of the package have it)");
}

TEST_CASE("blobs of a package that does not exist belong to the one that has their bundles") {
    ThreadPool pool(1);
    const LoadedCatalog loaded =
        load_text(package() + channel("{name: a}") + bundle("a", "1.0.0") +
                  "---\n{schema: olm.channel, package: quite-another, name: beta, entries: [{name: a}]}\n");
    std::string help;
    for (const Diagnostic& finding : lint({{Source("c", loaded)}}, {}, pool).findings)
        if (finding.rule == "package-unknown") help = finding.help;
    CHECK(help == "did you mean foo?");
}

TEST_CASE("the version of OpenShift is that of the configured catalog that holds a path") {
    const auto absolute = [](std::string_view path) { return std::filesystem::absolute(path); };
    const std::vector<CatalogSetting> catalogs{
        {{}, absolute("v4.16/foo/catalog.yaml"), "4.16", Layout::package, ""},
        {{}, absolute("v4.17/foo"), "4.17", Layout::package, ""}};
    const std::pair<std::string_view, std::string_view> cases[] = {{"v4.16/foo/catalog.yaml", "4.16"},
                                                                   {"v4.16/foo", "4.16"},
                                                                   {"v4.16", ""},
                                                                   {"v4.17/foo", "4.17"},
                                                                   {"v4.17/foo/more/x.yaml", "4.17"},
                                                                   {"v4.17", ""},
                                                                   {"v4.17/../v4.16/foo", "4.16"},
                                                                   {"v4.18/foo", ""}};
    for (const auto& [path, version] : cases) {
        CAPTURE(path);
        CHECK(openshift_version_for(path, catalogs) == version);
    }
}
