#include "../catalog/catalog_text.hpp"
#include "opcat/base/error.hpp"
#include "opcat/mirror/image_set.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

// What is kept of a catalog with the packages a (channels stable and beta) and b (stable): "PACKAGE:
// CHANNELS; VERSIONS", or an error.
std::string kept(const ImageSetCatalog& wanted, const std::string& beta_entries = "{name: a.v2}") {
    ThreadPool pool(1);
    std::string text;
    for (const char* name : {"a", "b"})
        text += fmt::format(
            "---\n{{schema: olm.package, name: {0}, defaultChannel: stable}}\n---\n{{schema: "
            "olm.channel, package: {0}, name: stable, entries: [{{name: {0}.v0}}, {{name: {0}.v1, "
            "replaces: {0}.v0}}]}}\n",
            name);
    text +=
        fmt::format("---\n{{schema: olm.channel, package: a, name: beta, entries: [{}]}}\n", beta_entries);
    for (const char* bundle : {"a.v0", "a.v1", "a.v2", "b.v0", "b.v1"})
        text += fmt::format("---\n{{schema: olm.bundle, package: {0:.1}, name: {0}, image: r.example/{0}, "
                            "properties: [{{type: olm.package, value: {{packageName: {0:.1}, version: "
                            "{1}.0.0}}}}]}}\n",
                            bundle, bundle[3]);
    const LoadedCatalog loaded = load_text(text);
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, pool);
    std::string shown;
    try {
        std::vector<std::string> warnings;
        for (const auto& [name, package] : selection_of(wanted, graph, warnings).packages) {
            shown += (shown.empty() ? "" : " | ") + name + ":";
            for (const auto& channel : package.channels) shown += " " + channel;
            shown += ";";
            for (const auto& range : package.versions) shown += " " + range.text;
        }
    } catch (const RequestError& error) {
        return std::string(error.what()) + " [" + error.hint() + "]";
    }
    return shown;
}

} // namespace

TEST_CASE("without packages the heads of all default channels are kept, or with full everything") {
    CHECK(kept({}) == "a: stable; =1.0.0 | b: stable; =1.0.0");
    ImageSetCatalog full;
    full.full = true;
    CHECK(kept(full).empty()); // nothing is selected, so nothing is left out
}

TEST_CASE("full keeps all versions of what is named without versions") {
    ImageSetCatalog wanted;
    wanted.packages = {{"a", {}, {}}};
    CHECK(kept(wanted) == "a: stable; =1.0.0");
    wanted.full = true;
    CHECK(kept(wanted) == "a:;");
    wanted.packages = {{"a", {{"stable", {}}}, {}}};
    CHECK(kept(wanted) == "a: stable; =0.0.0 =1.0.0");
    wanted.packages = {{"a", {{"stable", {}}, {"beta", {}}}, {}}};
    CHECK(kept(wanted) == "a: stable beta; =0.0.0 =1.0.0 =2.0.0");
    // Bounds come first.
    wanted.packages = {{"a", {}, {"1.0.0", ""}}};
    CHECK(kept(wanted) == "a: stable; =1.0.0");
}

TEST_CASE("a channel without a head needs versions") {
    ImageSetCatalog wanted;
    wanted.packages = {{"a", {{"beta", {}}}, {}}};
    const std::string circle = "{name: a.v1, replaces: a.v2}, {name: a.v2, replaces: a.v1}";
    CHECK(kept(wanted, circle) == "channel beta of package a has no head [name the versions to keep]");
    wanted.packages[0].channels[0].versions = {"2.0.0", "2.0.0"};
    CHECK(kept(wanted, circle) == "a: beta; =2.0.0");
}

TEST_CASE("a minimum that is there only as a prerelease names it") {
    struct Case {
        std::string_view first, least, selected, remark;
    };
    constexpr std::string_view named =
        "minVersion 1.0.0 of package a leaves out 1.0.0-opr.1, a prerelease, which "
        "comes before it: to keep it, write minVersion: 1.0.0-opr.1";
    const Case cases[] = {{"1.0.0-opr.1", "1.0.0", " =1.1.0", named},
                          {"1.0.0-opr.1", "1.0.0-opr.1", " =1.0.0-opr.1 =1.1.0", ""},
                          {"1.0.0", "1.0.0", " =1.0.0 =1.1.0", ""},
                          {"0.9.0-opr.1", "1.0.0", " =1.1.0", ""}};
    for (const Case& c : cases) {
        CAPTURE(c.first);
        CAPTURE(c.least);
        std::string text =
            "---\n{schema: olm.package, name: a, defaultChannel: c}\n---\n{schema: olm.channel, "
            "package: a, name: c, entries: [{name: a.1}, {name: a.2, replaces: a.1}]}\n";
        int number = 0;
        for (const std::string_view version : {c.first, std::string_view("1.1.0")})
            text += fmt::format(
                "---\n{{schema: olm.bundle, package: a, name: a.{}, image: r.example/a, properties: "
                "[{{type: olm.package, value: {{packageName: a, version: {}}}}}]}}\n",
                ++number, version);
        ThreadPool pool(1);
        const LoadedCatalog loaded = load_text(text);
        const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, pool);
        ImageSetCatalog wanted;
        wanted.packages = {{"a", {}, {std::string(c.least), ""}}};
        std::vector<std::string> warnings;
        std::string selected;
        const Selection selection = selection_of(wanted, graph, warnings);
        for (const auto& range : selection.packages.at("a").versions) selected += " " + range.text;
        CHECK(selected == c.selected);
        CHECK(warnings == (c.remark.empty() ? std::vector<std::string>()
                                            : std::vector<std::string>{std::string(c.remark)}));
        // Without the later version it is an error, which says the same.
        wanted.packages[0].versions.most = std::string(c.least);
        warnings.clear();
        if (c.remark == named) {
            std::string hint;
            try {
                selection_of(wanted, graph, warnings);
            } catch (const RequestError& error) {
                hint = error.hint();
            }
            CHECK(hint == named);
        }
    }
}
