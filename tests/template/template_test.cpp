// Covers lib/template.
#include "../load_text.hpp"
#include "opcat/authoring/migrate.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/document/yaml_writer.hpp"
#include "opcat/template/template.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>

namespace {

using namespace opcat;

ThreadPool& pool() {
    static ThreadPool one(1);
    return one;
}

std::unique_ptr<SourceFile> source(std::string_view text) {
    return std::make_unique<SourceFile>("t.yaml", text);
}

// A reference "foo/1.0.0" is bundle foo.v1.0.0 of package foo.
LoadedCatalog make_bundle(std::string_view reference) {
    if (reference == "without-package-property")
        return load_text("schema: olm.bundle\nname: foo.v1\npackage: foo\nimage: foo/1\n");
    const size_t slash = reference.find('/');
    const std::string package(reference.substr(0, slash));
    const std::string version(reference.substr(slash + 1));
    const std::string csv =
        encode_base64(fmt::format(R"({{"kind":"ClusterServiceVersion","spec":{{"description":"of {}",)"
                                  R"("icon":[{{"base64data":"QUI=","mediatype":"image/png"}}]}}}})",
                                  version));
    return load_text(
        fmt::format("schema: olm.bundle\nname: {0}.v{1}\npackage: {0}\nimage: {0}/{1}\nproperties:\n"
                    "- {{type: olm.package, value: {{packageName: {0}, version: \"{1}\"}}}}\n"
                    "- {{type: olm.bundle.object, value: {{data: {2}}}}}\n",
                    package, version, csv));
}

std::vector<std::string> asked_for;

LoadedCatalog render(std::string_view text, std::optional<TemplateKind> kind = std::nullopt) {
    asked_for.clear();
    return render_template(
        source(text), kind,
        [](std::span<const std::string> references) {
            std::vector<LoadedCatalog> loaded;
            for (const std::string& reference : references) {
                asked_for.push_back(reference);
                loaded.push_back(reference == "none" ? LoadedCatalog() : make_bundle(reference));
            }
            return loaded;
        },
        pool());
}

std::string written(const LoadedCatalog& loaded) {
    std::string text;
    write_catalog(loaded.catalog, Format::yaml, pool(),
                  [&](std::string_view, std::string_view t) { text += t; });
    return text;
}

bool has_error(const LoadedCatalog& loaded, std::string_view words) {
    return std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(), [&](const Diagnostic& d) {
        return d.severity == Severity::error && d.message.find(words) != std::string::npos;
    });
}

constexpr std::string_view catalog = R"(schema: olm.template.substitutes
entries:
- {schema: olm.package, name: foo, defaultChannel: a}
- schema: olm.channel
  package: foo
  name: a
  entries:
  - {name: foo.v1.0.0}
  - {name: foo.v1.1.0, replaces: foo.v1.0.0, skips: [foo.v0.9.0], skipRange: <1.1.0}
  - {name: foo.v1.2.0, replaces: foo.v1.1.0}
- {schema: olm.bundle, name: foo.v1.0.0, package: foo, image: a, properties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}]}
- {schema: olm.bundle, name: foo.v1.1.0, package: foo, image: b, properties: [{type: olm.package, value: {packageName: foo, version: 1.1.0}}]}
- {schema: olm.bundle, name: foo.v1.2.0, package: foo, image: c, properties: [{type: olm.package, value: {packageName: foo, version: 1.2.0}}]}
)";

} // namespace

TEST_CASE("the bundles of a basic template are expanded, and other blobs stay") {
    const LoadedCatalog loaded = render("schema: olm.template.basic\nentries:\n"
                                        "- {schema: olm.package, name: foo, defaultChannel: a}\n"
                                        "- {schema: other, package: foo}\n"
                                        "- {schema: olm.bundle, image: foo/1.0.0}\n");
    CHECK(loaded.diagnostics.empty());
    CHECK(loaded.catalog.packages.size() == 1);
    CHECK(loaded.catalog.others.size() == 1);
    REQUIRE(loaded.catalog.bundles.size() == 1);
    CHECK(loaded.catalog.bundles.front().name == "foo.v1.0.0");
}

TEST_CASE("an image is loaded once however often it is named") {
    (void)render("schema: olm.semver\ncandidate: {bundles: [{image: foo/1.0.0}]}\n"
                 "stable: {bundles: [{image: foo/1.0.0}]}\n");
    CHECK(asked_for == std::vector<std::string>{"foo/1.0.0"});
}

TEST_CASE("a semver template makes package and channels") {
    const LoadedCatalog loaded = render("Schema: olm.semver\nGenerateMajorChannels: true\n"
                                        "Stable: {Bundles: [{Image: foo/1.1.0}, {Image: foo/1.0.0}]}\n");
    CHECK(loaded.diagnostics.empty());
    const std::string text = written(loaded);
    CHECK(text.starts_with(
        "---\ndefaultChannel: stable-v1\ndescription: of 1.1.0\nicon:\n  base64data: QUI=\n"
        "  mediatype: image/png\nname: foo\nschema: olm.package\n---\nentries:\n"
        "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\nname: stable-v1\n"));
}

TEST_CASE("the schema decides the kind, which must be one of the requested ones") {
    CHECK(has_error(render("schema: olm.nope"), "olm.nope is not the schema of a template"));
    CHECK(has_error(render("entries: []"), "no schema"));
    CHECK(has_error(render("schema: olm.semver", TemplateKind::basic), "not the schema of a basic template"));
    CHECK(has_error(render(""), "the file is empty"));
    CHECK(has_error(render("[]"), "must be an object"));
    CHECK(has_error(render("a: : b"), ""));
    CHECK(render("schema: olm.template.basic", TemplateKind::basic).diagnostics.empty());
}

TEST_CASE("mistakes in a template are found") {
    struct Case {
        std::string_view text;
        std::string_view words;
    };
    const Case cases[] = {
        {"schema: olm.semver", "no bundles"},
        {"schema: olm.semver\nfrob: 1", "no field \"frob\""},
        {"schema: olm.semver\nstable: {bundles: [{image: foo/1.0.0, x: 1}]}", "no field \"x\""},
        {"schema: olm.semver\nstable: {bundles: []}\nstable: {bundles: []}", "twice"},
        {"schema: olm.semver\ngenerateMajorChannels: 1", "true or false"},
        {"schema: olm.semver\nstable: {bundles: [{image: \"\"}]}", "needs an image"},
        {"schema: olm.semver\nstable: {bundles: {}}", "must be a list"},
        {"schema: olm.semver\ndefaultChannelTypePreference: weekly", "must be major or minor"},
        {"schema: olm.semver\ndefaultChannelTypePreference: major", "there are none"},
        {"schema: olm.semver\ngenerateMajorChannels: true\ndefaultChannelTypePreference: minor",
         "there are none"},
        {"schema: olm.semver\nstable: {bundles: [{image: foo/1.0.0}, {image: foo/1.0.0}]}",
         "names the bundle"},
        {"schema: olm.semver\nstable: {bundles: [{image: foo/1.0.0}, {image: bar/1.0.0}]}",
         "belongs to package bar"},
        {"schema: olm.semver\nstable: {bundles: [{image: foo/1.0.0+a}, {image: foo/1.0.0+b}]}",
         "without an order"},
        {"schema: olm.semver\nstable: {bundles: [{image: foo/v1}]}", "has version"},
        {"schema: olm.semver\nstable: {bundles: [{image: none}]}", "no bundle"},
        {"schema: olm.semver\nstable: {bundles: [{image: without-package-property}]}",
         "bundle foo.v1 does not have exactly one olm.package property"},
        {"schema: olm.template.basic\nentries: [{schema: olm.bundle, image: x, package: foo}]",
         "neither package"},
        {"schema: olm.template.basic\nentries: [{schema: olm.bundle}]", "must have an image"},
        {"schema: olm.template.basic\nentries: [null]", "no schema"},
        {"# a licence\n---\nschema: olm.template.basic\nentries: []\n", "first document"},
        {"schema: olm.template.substitutes\nsubstitutions: [{base: a}]", "needs a name"},
        {"schema: olm.template.substitutes\nsubstitutions: [{name: a}]", "needs a base"},
        {"schema: olm.template.substitutes\nsubstitutions: [{name: a, base: a}]", "the same"},
        {"schema: olm.template.substitutes\nsubstitutions: [{name: foo/1.0.0, base: a}]",
         "the catalog has no bundle \"a\""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(has_error(render(c.text), c.words));
    }
}

TEST_CASE("a substitute takes over the edges of its base") {
    const LoadedCatalog loaded =
        render(std::string(catalog) + "substitutions: [{name: foo/1.1.1, base: foo.v1.1.0}]\n");
    CHECK(loaded.diagnostics.empty());
    const std::string text = written(loaded);
    CHECK(text.find("entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n"
                    "- name: foo.v1.2.0\n  replaces: foo.v1.1.1\n  skips:\n  - foo.v1.1.0\n"
                    "- name: foo.v1.1.1\n  replaces: foo.v1.0.0\n  skipRange: <1.1.0\n  skips:\n"
                    "  - foo.v0.9.0\n  - foo.v1.1.0\n") != text.npos);
    CHECK(text.find("name: foo.v1.1.1\npackage: foo\n") != text.npos);
}

TEST_CASE("who skips the base skips its substitute instead") {
    std::string skipping(catalog);
    skipping.replace(skipping.find(", replaces: foo.v1.1.0"), 22,
                     ", replaces: foo.v1.0.0, skips: [foo.v1.1.0]");
    const LoadedCatalog loaded = render(skipping + "substitutions: [{name: foo/1.1.1, base: foo.v1.1.0}]\n");
    CHECK(loaded.diagnostics.empty());
    CHECK(written(loaded).find("- name: foo.v1.2.0\n  replaces: foo.v1.0.0\n  skips:\n  - foo.v1.1.1\n") !=
          std::string::npos);
}

TEST_CASE("bundles in a substitutes template stay unchanged, in their order and not migrated") {
    // The object is {"kind":"ClusterServiceVersion"}.
    LoadedCatalog loaded = render(R"(schema: olm.template.substitutes
entries:
- {schema: olm.package, name: foo, defaultChannel: a}
- {schema: olm.channel, package: foo, name: a, entries: [{name: foo.v1}]}
- schema: olm.bundle
  name: foo.v1
  package: foo
  image: a
  properties:
  - {type: olm.bundle.object, value: {data: eyJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIn0=}}
  - {type: olm.package, value: {packageName: foo, version: 1.0.0}}
  relatedImages: [{name: a, image: z}, {name: b, image: a}]
)");
    CHECK(loaded.diagnostics.empty());
    CHECK(migrate_to_csv_metadata(loaded.catalog, pool()).empty());
    const std::string text = written(loaded);
    CHECK(text.find("- type: olm.bundle.object\n") < text.find("- type: olm.package\n"));
    CHECK(text.find("image: z\n") < text.find("- image: a\n  name: b\n"));
}

TEST_CASE("a substitute must be higher than its base, and the catalog stays valid") {
    CHECK(has_error(render(std::string(catalog) + "substitutions: [{name: foo/1.0.5, base: foo.v1.1.0}]\n"),
                    "not higher"));
    CHECK(has_error(render(std::string(catalog) + "substitutions: [{name: foo/1.x, base: foo.v1.1.0}]\n"),
                    "bundle foo.v1.x has no version to compare"));
    CHECK(has_error(render(std::string(catalog) + "substitutions: [{name: bar/1.1.1, base: foo.v1.1.0}]\n"),
                    "with bar.v1.1.1 in place of foo.v1.1.0 the catalog is no longer valid"));
}

TEST_CASE("a catalog becomes a template") {
    const auto converted = [](std::unique_ptr<SourceFile> file, TemplateKind kind, Format format) {
        return convert_to_template(std::span(&file, 1), kind, format);
    };
    const std::string_view text = "schema: olm.package\nname: foo\nz: <a&b>\n---\n"
                                  "schema: olm.bundle\nname: foo.v1\npackage: foo\nimage: foo/1\n";
    const auto basic = converted(source(text), TemplateKind::basic, Format::json);
    CHECK(basic.text == R"({
    "schema": "olm.template.basic",
    "entries": [
        {
            "name": "foo",
            "schema": "olm.package",
            "z": "\u003ca\u0026b\u003e"
        },
        {
            "schema": "olm.bundle",
            "image": "foo/1"
        }
    ]
}
)");
    const auto substitutes = converted(source(text), TemplateKind::substitutes, Format::yaml);
    CHECK(substitutes.text ==
          "---\nentries:\n- name: foo\n  schema: olm.package\n  z: <a&b>\n- image: foo/1\n"
          "  name: foo.v1\n  package: foo\n  schema: olm.bundle\n"
          "schema: olm.template.substitutes\nsubstitutions: []\n\n");
    CHECK(converted(source(""), TemplateKind::basic, Format::yaml).text ==
          "---\nentries: null\nschema: olm.template.basic\n\n");
    const auto unread = converted(source("a: [\n"), TemplateKind::basic, Format::yaml);
    CHECK(unread.text.empty());
    REQUIRE(unread.diagnostics.size() == 1);
    CHECK(unread.diagnostics[0].rule == "syntax");
    // opm fails, too: YAML 1.1 does not allow the character, which JSON does not escape.
    const std::string_view control = "schema: x\na: \"\\x7f\"\n";
    CHECK_THROWS_WITH_AS(
        converted(source(control), TemplateKind::basic, Format::yaml),
        "cannot write the template as YAML: a string has a control character or is a key of more "
        "than 1024 characters",
        UnwritableYaml);
    CHECK_FALSE(converted(source(control), TemplateKind::basic, Format::json).text.empty());
    CHECK(!converted(source("a: 1"), TemplateKind::basic, Format::yaml).diagnostics.empty());
    // The files of a directory are one catalog.
    std::vector<std::unique_ptr<SourceFile>> files;
    for (const char* name : {"a", "b"})
        files.push_back(source(fmt::format("schema: olm.package\nname: {}\n", name)));
    CHECK(convert_to_template(files, TemplateKind::basic, Format::yaml).text ==
          "---\nentries:\n- name: a\n  schema: olm.package\n- name: b\n  schema: olm.package\n"
          "schema: olm.template.basic\n\n");
}
