#include "../catalog/catalog_text.hpp"
#include "opcat/lint/schemas.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

namespace {

const std::string fine_catalog = package() + channel("{name: a}") + bundle("a", "1.0.0");

// Severity, line, marked text and message of each finding.
std::string found_in(const std::string& text, const std::string& user_schema = {}) {
    ThreadPool pool(2);
    Schemas schemas;
    Diagnostics problems;
    if (!user_schema.empty()) schemas.add(std::make_shared<SourceFile>("user.cue", user_schema), problems);
    if (!problems.empty()) return problems.front().message;
    const LoadedCatalog loaded = load_text(text);
    REQUIRE(loaded.diagnostics.empty());
    std::string out;
    for (const Diagnostic& d : schemas.check(loaded.catalog, pool)) {
        CHECK(d.rule == "schema");
        const Position at = d.where.file->position(d.where.offset);
        out += fmt::format("{} {} {}: {}\n", to_string(d.severity), at.line,
                           d.where.file->bytes().substr(d.where.offset, d.where.length), d.message);
        REQUIRE(!d.notes.empty());
        // The files of built-in definitions are part of the program.
        CHECK(bool(d.notes.front().where) == (d.severity == Severity::error));
    }
    return out;
}

} // namespace

TEST_CASE("violations of the format's own definitions that opm accepts are warnings") {
    struct Case {
        std::string_view what;
        std::string text;
        std::string_view findings;
    };
    const Case cases[] = {
        {"a good catalog", fine_catalog, ""},
        {"more fields", package("defaultChannel: stable, extra: {a: 1}"), ""},
        {"no default channel", package("description: x"),
         "warning 2 {: olm.package foo: defaultChannel is missing: it must be a string\n"},
        {"half an icon", package("defaultChannel: stable, icon: {mediatype: x}"),
         "warning 2 {: olm.package foo: icon.base64data is missing: it must be a string\n"},
        {"an empty replaces", channel("{name: a, replaces: \"\"}"),
         "warning 2 \": olm.channel stable: entries[0].replaces must not be empty\n"},
        {"null for a list", channel("{name: a, skips: null}"),
         "warning 2 n: olm.channel stable: entries[0].skips must be a list, not null\n"},
        {"empty names of images",
         with_image("r.example/a", ", relatedImages: [{image: \"\", name: x}, {image: \"\"}]"),
         "warning 2 \": olm.bundle a: relatedImages[0].image must not be empty\n"},
        {"a property without a type", bundle("a", "1.0.0", ", {value: 1}"),
         "warning 2 {: olm.bundle a: properties[1].type is missing: it must be a string\n"},
        {"a property without a value", bundle("a", "1.0.0", ", {type: x, value: null}"),
         "warning 2 n: olm.bundle a: properties[1].value must not be null\n"},
        {"a property type that is known",
         bundle("a", "1.0.0", ", {type: olm.gvk, value: {group: g, version: v, kind: \"\"}}"),
         "warning 2 \": olm.bundle a: properties[1].value.kind must not be empty\n"},
        {"properties of an unknown blob", "{schema: x, properties: [{type: olm.gvk.required, value: {}}]}",
         "warning 1 {: x: properties[0].value.group is missing: it must be a string\n"
         "warning 1 {: x: properties[0].value.kind is missing: it must be a string\n"
         "warning 1 {: x: properties[0].value.version is missing: it must be a string\n"},
        {"an unknown blob", "{schema: x, package: \"\"}", "warning 1 \": x: package must not be empty\n"},
        {"a name that must not be", "{schema: olm.deprecations, package: p, name: nn, entries: []}",
         "warning 1 nn: olm.deprecations nn: name must not be there\n"},
        {"a reference without a name",
         "{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.bundle}, message: m}]}",
         "warning 1 {: olm.deprecations p: entries[0].reference.name is missing: it must be a string\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        CHECK(found_in(c.text) == c.findings);
    }
}

TEST_CASE("violations of a user's schema are errors") {
    CHECK(found_in("{schema: example.note, text: 1}", "#Note: {schema: \"example.note\", text: string}") ==
          "error 1 1: example.note: text must be a string, not a number\n");
    CHECK(found_in(bundle("a", "1.0.0", ", {type: size, value: -1}"), "#Size: {type: \"size\", value: >0}") ==
          "error 2 -: olm.bundle a: properties[1].value must be >0, not -1\n");
    CHECK(found_in(fine_catalog, "#Bundle: {schema: \"olm.bundle\", image: =~\"@sha256:\", ...}") ==
          "error 6 r.example/foo: olm.bundle a: image must match the regular expression \"@sha256:\", which "
          "\"r.example/foo\" does not\n");
    CHECK(found_in("{schema: x}\n---\n{schema: z, package: p}", "_Meta: {package!: string, ...}") ==
          "error 1 {: x: package is missing: it must be a string\n");
    CHECK(found_in(fine_catalog, "#Bundle: {schema: \"olm.bundle\", image: strin}") == "there is no strin");
}

TEST_CASE("a blob that is too large to check is a finding of its own") {
    ThreadPool pool(1);
    Schemas schemas;
    Diagnostics problems;
    schemas.add(std::make_shared<SourceFile>("user.cue",
                                             "#Note: {schema: \"example.note\", name: string, text: #Tree}\n"
                                             "#Tree: [...#Tree]\n"),
                problems);
    REQUIRE(problems.empty());
    const LoadedCatalog loaded =
        load_text("\n{\"schema\": \"example.note\", \"name\": \"a\", \"text\": " + std::string(2000, '[') +
                  std::string(2000, ']') + "}");
    REQUIRE(shown(loaded.diagnostics) == "");
    const Diagnostics found = schemas.check(loaded.catalog, pool);
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == "schema");
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].message == "example.note a is too deep or too large to check by #Note");
    CHECK(found[0].where.file->position(found[0].where.offset).line == 2);
}

TEST_CASE("a definition is found by its name and by its schema") {
    const Schemas schemas;
    CHECK(schemas.find("#Bundle")->name == "olm.bundle");
    CHECK(schemas.find("Bundle") == schemas.find("#Bundle"));
    CHECK(schemas.find("olm.package")->definition->name == "#Package");
    CHECK(schemas.find("olm.gvk")->definition->name == "#PropertyGVK");
    CHECK(schemas.find("_Meta")->of == SchemaUse::Of::every_blob);
    CHECK(schemas.find("#RelatedImage")->of == SchemaUse::Of::none);
    CHECK(schemas.find("nonsense") == nullptr);
}
