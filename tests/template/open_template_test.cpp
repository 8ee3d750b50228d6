// Covers lib/template/basic.cpp, and how a file that was loaded as a catalog becomes the one that it
// describes.
#include "../load_text.hpp"
#include "opcat/template/template.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

namespace {

using namespace opcat;

LoadedCatalog opened(std::string_view text) {
    ThreadPool one(1);
    LoadedCatalog loaded = load_text(text);
    open_template(
        loaded, [](auto) { return std::nullopt; }, one);
    return loaded;
}

std::string found_in(const LoadedCatalog& loaded) {
    std::string all;
    for (const Diagnostics* some : {&loaded.diagnostics, &loaded.oddities})
        for (const Diagnostic& finding : *some)
            all += fmt::format("{}{}:{}", all.empty() ? "" : ", ",
                               finding.where.file->position(finding.where.offset).line, finding.rule);
    return all;
}

constexpr std::string_view channel = "schema: olm.template.basic\nentries:\n"
                                     "- schema: olm.channel\n  package: foo\n  name: stable\n"
                                     "  entries: [{name: foo.v1.0.0}, {name: foo.v1.1.0}]\n";

std::string with_images(std::initializer_list<const char*> images) {
    std::string text(channel);
    for (const char* image : images) text += fmt::format("- {{schema: olm.bundle, image: {}}}\n", image);
    return text;
}

} // namespace

TEST_CASE("of the unknown bundles of a template the names are there that its channels have") {
    const LoadedCatalog loaded = opened(with_images({"r/foo:v1.0.0", "r/foo:v1.1.0"}));
    CHECK(found_in(loaded) == "");
    CHECK(loaded.bundles_unknown);
    REQUIRE(loaded.catalog.bundles.size() == 2);
    CHECK(loaded.catalog.bundles.back().is_unknown);
    CHECK(loaded.catalog.bundles.back().name == "foo.v1.1.0");
    CHECK(loaded.catalog.bundles.back().start().file == loaded.catalog.channels.front().file);
}

TEST_CASE("a template has as many bundles as its channels have entries, or more") {
    CHECK(found_in(opened(with_images({"r/foo:v1.0.0", "r/foo:v1.1.0", "r/foo:v1.2.0"}))) == "");
    CHECK(found_in(opened(with_images({"r/foo:v1.0.0"}))) == "6:entry-without-bundle");
    CHECK(found_in(opened(with_images({"r/foo:latest"}))) == "3:entry-without-bundle");
    const LoadedCatalog none = opened(channel);
    CHECK(found_in(none) == "");
    CHECK(!none.bundles_unknown); // it has no bundles, which the rules of catalogs say
    CHECK(none.catalog.bundles.empty());
}

TEST_CASE("a file whose first document is no template stays what it is") {
    for (const char* text :
         {"schema: olm.package\nname: foo\n---\nschema: olm.semver\n", "schema: other\n", ""}) {
        const LoadedCatalog loaded = opened(text);
        CHECK(!template_in(loaded));
        CHECK(!loaded.bundles_unknown);
    }
    CHECK(template_in(load_text("schema: olm.semver\n---\nschema: olm.package\nname: foo\n")) ==
          TemplateKind::semver);
}

TEST_CASE("documents after a template are left out, as opm does") {
    const LoadedCatalog loaded =
        opened("schema: olm.template.basic\nentries: []\n---\n---\nschema: olm.package\nname: foo\n");
    CHECK(found_in(loaded) == "5:template");
    CHECK(is_empty(loaded.catalog));
}
