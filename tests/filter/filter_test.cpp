// What filtering makes of channels that OLM classic cannot order.
#include "opcat/filter/filter.hpp"
#include "promises.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::test;

namespace {

// `a` and `cyclic` have one head each; in `cyclic`, OLM classic follows `replaces` in a loop.
const std::string with_a_cycle =
    package("defaultChannel: all") + channel("{name: foo.v3}", "all") + channel("{name: foo.v1}", "a") +
    channel("{name: foo.v3, replaces: foo.v2}, {name: foo.v2, replaces: foo.v2, "
            "skips: [foo.v2]}, {name: foo.v1, skips: [foo.v1]}",
            "cyclic") +
    bundle("foo.v1", "1.0.0") + bundle("foo.v2", "2.0.0") + bundle("foo.v3", "3.0.0");

ThreadPool one_thread(1);

FilteredCatalog keep(std::initializer_list<std::string_view> channels, std::string_view versions) {
    const LoadedCatalog loaded = load_text(with_a_cycle);
    REQUIRE(is_valid(loaded, one_thread));
    Selection selection;
    selection.add_version(versions);
    for (const std::string_view channel : channels) selection.add_channel(channel);
    return filter_catalog(loaded.catalog, selection, false, one_thread);
}

} // namespace

TEST_CASE("a channel from which OLM classic installs nothing is the last choice of a default channel") {
    const std::string all = "foo >=1.0.0";
    CHECK(keep({"foo/a", "foo/cyclic"}, all).report.kept.front().new_default_channel == "a");
    CHECK(keep({"foo/cyclic"}, all).report.kept.front().new_default_channel == "cyclic");
}

TEST_CASE("an unchanged channel that OLM classic cannot order is not reported as changed") {
    CHECK(keep({"foo/cyclic"}, "foo >=1.0.0").report.kept.front().channels.empty());
}

TEST_CASE("a head is reported where there was none before") {
    CHECK(to_text(keep({"foo/cyclic"}, "foo <3.0.0").report) ==
          "foo: dropped 2 channels: a and all\n"
          "foo: dropped 1 of 3 versions: foo.v3\n"
          "foo: the default channel is now cyclic, as all is dropped\n"
          "foo/cyclic: OLM classic now installs foo.v2, and installed nothing from this channel before\n");
}

TEST_CASE("skipped entries do not lead into a cycle of `replaces`, which OLM classic cannot order") {
    const std::string head = "{name: foo.v5, replaces: foo.v4, skips: [foo.v4, foo.v3, foo.v2, foo.v1]}, "
                             "{name: foo.v4, replaces: foo.v3}, ";
    const std::string bundles = bundle("foo.v1", "1.0.0") + bundle("foo.v2", "2.0.0") +
                                bundle("foo.v3", "3.0.0") + bundle("foo.v4", "4.0.0") +
                                bundle("foo.v5", "5.0.0");
    struct {
        const char* what;
        std::string below;
        const char* versions;
    } const cases[] = {
        {"v2's way from v4, over v1, would close it",
         "{name: foo.v3, replaces: foo.v2}, {name: foo.v2, replaces: foo.v1}, {name: foo.v1, skipRange: "
         "'=4.0.0'}",
         "foo >1.0.0"},
        {"v4's way from v1, over v3, would lead to it",
         "{name: foo.v3, skips: [foo.v1]}, {name: foo.v2}, {name: foo.v1, replaces: foo.v1}", "foo !=3.0.0"},
    };
    for (const auto& c : cases) {
        INFO(c.what);
        const LoadedCatalog loaded =
            load_text(package("defaultChannel: all") + channel(head + c.below, "all") + bundles);
        REQUIRE(is_valid(loaded, one_thread));
        Selection selection;
        selection.add_version(c.versions);
        FilterPromises promises;
        promises.ask_about(loaded, selection, one_thread);
        CHECK(promises.cases == 1);
        CHECK(promises.broken == std::vector<std::string>());
    }
}

TEST_CASE("entries that lead to a new head, which OLM classic never did, are dropped and reported") {
    // OLM classic only knows v3 here: v1 and v2 skip each other.
    const LoadedCatalog loaded = load_text(
        package("defaultChannel: all") +
        channel("{name: foo.v3}, {name: foo.v2, skips: [foo.v1]}, {name: foo.v1, skips: [foo.v2]}", "all") +
        bundle("foo.v1", "1.0.0") + bundle("foo.v2", "2.0.0") + bundle("foo.v3", "3.0.0"));
    REQUIRE(is_valid(loaded, one_thread));
    Selection selection;
    selection.add_version("foo <3.0.0");
    CHECK(
        to_text(filter_catalog(loaded.catalog, selection, false, one_thread).report) ==
        "foo: dropped 2 of 3 versions: foo.v1 and foo.v3\n"
        "foo: foo.v1 could not be kept: any graph that keeps OLM v1's upgrades from there gives OLM classic "
        "upgrades that it did not have\n"
        "foo/all: OLM classic now installs foo.v2, not foo.v3\n");
}

TEST_CASE("a version that no skipRange can express is not led past a dropped one by a skipRange") {
    const auto shown = [](std::string_view version) {
        const LoadedCatalog loaded = load_text(
            package("defaultChannel: all") +
            channel("{name: foo.v9, replaces: foo.v2, skips: [foo.v5, foo.v4, foo.v3]}, {name: foo.v5, "
                    "replaces: foo.v3, skips: "
                    "[foo.v4]}, {name: foo.v4, replaces: foo.v1}, {name: foo.v3, replaces: foo.v2}, {name: "
                    "foo.v2, replaces: foo.v1}, {name: foo.v1}",
                    "all") +
            bundle("foo.v1", version) + bundle("foo.v2", "2.0.0") + bundle("foo.v3", "3.0.0") +
            bundle("foo.v4", "4.0.0") + bundle("foo.v5", "5.0.0") + bundle("foo.v9", "9.0.0"));
        Selection selection;
        selection.add_version("foo !=3.0.0 !=4.0.0");
        const FilteredCatalog left = filter_catalog(loaded.catalog, selection, false, one_thread);
        REQUIRE(left.diagnostics.empty());
        std::string text;
        for (const ChannelEntry& entry : left.catalog.channels.front().entries)
            text += fmt::format("{}<{} {}; ", entry.name.text, entry.replaces.text, entry.skip_range.text);
        return text;
    };
    CHECK(shown("1.0.0") == "foo.v9<foo.v2 ; foo.v5<foo.v2 1.0.0; foo.v2<foo.v1 ; foo.v1< ; ");
    // No range can express this version: it is given up.
    CHECK(shown("1.0.0-x") == "foo.v9<foo.v2 ; foo.v5<foo.v2 ; foo.v2<foo.v1 ; ");
}

TEST_CASE("a selection of which nothing can be kept is refused") {
    // Each channel gives up versions that others would keep.
    std::string text = package("defaultChannel: c0");
    for (int i = 0; i < 8; ++i) text += bundle(fmt::format("v{}", i), fmt::format("1.{}.0", i));
    text += channel("{name: v2}", "c0") +
            channel("{name: v1}, {name: v2, replaces: v7}, {name: v3}, {name: v4, skips: [v3]}, {name: v5, "
                    "skips: [v4, v5]}, {name: v6, replaces: v5, skipRange: '>=1.3.0 <1.5.0'}, {name: v7, "
                    "skips: [v7, v6, v1]}",
                    "c1") +
            channel("{name: v0, replaces: v2}, {name: v2, skipRange: '>=1.2.0 <1.5.0'}, {name: v3, replaces: "
                    "v7, skips: [v2]}, {name: v4, skips: [v0, v4]}, {name: v7, replaces: v7, skips: [v7]}",
                    "c2");
    const LoadedCatalog loaded = load_text(text);
    Selection selection;
    selection.add_version("foo !=1.7.0");
    CHECK_THROWS_WITH_AS(filter_catalog(loaded.catalog, selection, false, one_thread),
                         doctest::Contains("none of the selected versions of foo can be kept: "),
                         RequestError);
}

TEST_CASE("APIs and packages that no bundle of the catalog has are reported, each once") {
    const std::string toy = ", {type: olm.gvk.required, value: {group: example.com, version: v1, kind: Toy}}";
    const std::string nested =
        ", {type: olm.constraint, value: {any: {constraints: [{gvk: {group: example.com, version: v1, "
        "kind: Toy}}, {package: {packageName: bar, versionRange: '*'}}]}}}";
    const LoadedCatalog loaded = load_text(
        package("defaultChannel: all") + channel("{name: foo.v2, replaces: foo.v1}, {name: foo.v1}", "all") +
        bundle("foo.v1", "1.0.0", toy) + bundle("foo.v2", "2.0.0", nested));
    REQUIRE(shown(loaded.diagnostics) == "");
    Selection selection;
    selection.add_package("foo");
    CHECK(filter_catalog(loaded.catalog, selection, true, one_thread).report.missing_dependencies ==
          std::vector<std::string>{
              "foo.v1 requires the API Toy of example.com/v1, which the catalog does not have",
              "foo.v2 requires package bar, which the catalog does not have"});
}

TEST_CASE("a version of a required package that the catalog lacks is reported") {
    const auto requires_foo = [](std::string_view range) {
        return fmt::format(
            ", {{type: olm.package.required, value: {{packageName: foo, versionRange: '{}'}}}}", range);
    };
    const LoadedCatalog loaded = load_text(
        package("defaultChannel: all") +
        channel("{name: foo.v3, replaces: foo.v2}, {name: foo.v2, replaces: foo.v1}, {name: foo.v1}", "all") +
        bundle("foo.v1", "1.0.0", requires_foo(">=9.0.0")) +
        bundle("foo.v2", "2.0.0", requires_foo(">=1.0.0 <2.0.0")) +
        bundle("foo.v3", "3.0.0", requires_foo(">=9.0.0")));
    Selection selection;
    selection.add_package("foo");
    CHECK(filter_catalog(loaded.catalog, selection, true, one_thread).report.missing_dependencies ==
          std::vector<std::string>{
              "foo.v1 requires package foo in version >=9.0.0, which the catalog does not have"});
}

TEST_CASE("without some bundles, edges are repaired, and packages of which nothing is left go") {
    const LoadedCatalog loaded = load_text(
        package("defaultChannel: all") +
        channel("{name: foo.v3, replaces: foo.v2}, {name: foo.v2, replaces: foo.v1}, {name: foo.v1}", "all") +
        bundle("foo.v1", "1.0.0") + bundle("foo.v2", "2.0.0") + bundle("foo.v3", "3.0.0") +
        "---\n{schema: olm.package, name: bar, defaultChannel: all}\n"
        "---\n{schema: olm.channel, package: bar, name: all, entries: [{name: bar.v1}]}\n"
        "---\n{schema: olm.bundle, package: bar, name: bar.v1, image: 'quay.io/org/bar:v1', properties: "
        "[{type: olm.package, value: {packageName: bar, version: 1.0.0}}]}\n");
    REQUIRE(shown(loaded.diagnostics) == "");
    const auto without = [&](std::initializer_list<std::string_view> names) {
        std::unordered_set<const Bundle*> bundles;
        for (const Bundle& one : loaded.catalog.bundles)
            if (std::find(names.begin(), names.end(), one.name.text) != names.end()) bundles.insert(&one);
        const FilteredCatalog left = without_bundles(loaded.catalog, bundles, one_thread);
        std::string text;
        for (const Channel& one : left.catalog.channels)
            for (const ChannelEntry& entry : one.entries)
                text += fmt::format("{}<{}> ", entry.name.text, entry.replaces.text);
        return text;
    };
    CHECK(without({"foo.v2"}) == "bar.v1<> foo.v3<foo.v1> foo.v1<> ");
    CHECK(without({"bar.v1"}) == "foo.v3<foo.v2> foo.v2<foo.v1> foo.v1<> ");
}
