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
        for (const auto& [name, package] : selection_of(wanted, graph).packages) {
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
