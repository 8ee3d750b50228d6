// Covers lib/graph/api_regressions.cpp, lib/graph/regressions.cpp and lib/graph/channel_regressions.cpp.
#include "graph_builder.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/graph/catalog_diff.hpp"

#include <fmt/format.h>

using namespace opcat;
using namespace opcat::test;

namespace {

// Each is "KIND: AFFECTED VERSIONS", or with its message.
std::string regressions(const Graph& before, const Graph& after, const DiffOptions& options = {},
                        bool with_message = false) {
    std::string all;
    for (const Regression& one :
         diff_catalogs({before.loaded.catalog, before.graph}, {after.loaded.catalog, after.graph}, options)
             .regressions)
        all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", to_string(one.kind),
                           with_message ? one.message : fmt::format("{}", fmt::join(one.installed, " ")));
    return all;
}

std::string upgrades(const Graph& before, const Graph& after, const DiffOptions& options = {}) {
    std::string all;
    for (const UpgradeChange& one :
         diff_catalogs({before.loaded.catalog, before.graph}, {after.loaded.catalog, after.graph}, options)
             .upgrades)
        all += fmt::format("{}{}: {} -> {}", all.empty() ? "" : "; ", one.channel, fmt::join(one.from, " "),
                           one.to);
    return all;
}

const std::string kind_foo = "- type: olm.gvk\n  value: {group: g.example, kind: Foo, version: v1}\n";

// A property with a definition of Foo, version v1, in which a size may have a minimum.
std::string definition(std::string_view minimum = "", bool served = true, std::string_view name = "foos") {
    return "- type: olm.bundle.object\n  value: {data: " +
           encode_base64(fmt::format(
               R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"{}.g.example"}},)"
               R"("spec":{{"group":"g.example","scope":"Namespaced","names":{{"kind":"Foo","plural":"foos"}},"versions":[)"
               R"({{"name":"v1","served":{},"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object","properties":)"
               R"({{"size":{{"type":"integer"{}}}}}}}}}}}]}}}})",
               name, served, minimum)) +
           "}\n";
}

} // namespace

TEST_CASE("an API that a release lacks is a regression on edges that are new") {
    const std::string head = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";
    const auto with_edge = [&](std::string_view edge) {
        return head + channel("stable", fmt::format("- name: foo.v1.0.0\n- {{name: foo.v1.1.0{}}}", edge)) +
               bundle("1.0.0", kind_foo) + bundle("1.1.0");
    };
    const std::string old = head + channel("stable", "- name: foo.v1.0.0") + bundle("1.0.0", kind_foo);
    const std::string lost = "api-removed: foo.v1.0.0";
    const struct {
        std::string_view what;
        std::string before, after, result;
    } cases[] = {
        {"replaces", old, with_edge(", replaces: foo.v1.0.0"), lost},
        {"skips", old, with_edge(", skips: [foo.v1.0.0]"), lost},
        {"skipRange", old, with_edge(", skipRange: '<1.1.0'"), "ambiguous: foo.v1.0.0; " + lost},
        {"replaces, which was there", with_edge(", replaces: foo.v1.0.0"),
         with_edge(", replaces: foo.v1.0.0"), ""},
        {"skips, which was there", with_edge(", skips: [foo.v1.0.0]"), with_edge(", replaces: foo.v1.0.0"),
         "skipped-again: "},
        {"a skipRange that was there", with_edge(", skipRange: '<1.1.0'"),
         with_edge(", replaces: foo.v1.0.0"), ""},
        {"a skipRange that did not cover it", with_edge(", skipRange: '<1.0.0'"),
         with_edge(", replaces: foo.v1.0.0"), lost},
        {"what is replaced is gone", old,
         head + channel("stable", "- {name: foo.v1.1.0, replaces: foo.v1.0.0}") + bundle("1.1.0"),
         "removed: foo.v1.0.0; " + lost},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        CHECK(regressions(graph_of(c.before), graph_of(c.after)) == c.result);
    }
}

TEST_CASE("APIs are those of properties and of definitions that are served") {
    const std::string lost = "api-removed: foo.v1.1.0 lacks Foo g.example/v1, which foo.v1.0.0 provides";
    const std::string narrowed =
        "crd-narrowed: foo.v1.1.0 has a definition foos.g.example that cannot safely replace that of "
        "foo.v1.0.0: "
        "v1: ^.size: minimum: minimum constraint added when there was none previously : 3";
    const struct {
        std::string_view what;
        std::string before, after, result;
    } cases[] = {
        {"the same", kind_foo, kind_foo, ""},
        {"gone", kind_foo, "", lost},
        {"provided by a definition now", kind_foo, definition(), ""},
        {"provided by a definition before", definition(), "", lost},
        {"of a definition that is not served", kind_foo, definition("", false), lost},
        {"a definition that allows less", definition(), definition(",\"minimum\":3"), narrowed},
        {"a definition that allows less, after one that is gone", definition("", true, "bars") + definition(),
         definition(",\"minimum\":3"), narrowed},
        {"properties without a readable value",
         "- type: olm.gvk\n- {type: olm.gvk, value: Foo}\n- {type: other, value: {group: g.example, kind: "
         "Foo, version: v1}}\n",
         "", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const Graph before = graph_of(catalog("- name: foo.v1.0.0", {}) + bundle("1.0.0", c.before));
        const Graph after =
            graph_of(catalog("- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}", {}) +
                     bundle("1.0.0", c.before) + bundle("1.1.0", c.after));
        CHECK(regressions(before, after, {}, true) == c.result);
        CHECK(find_api_regressions(before.package(), after.package(), Definitions::ignored).empty() ==
              (c.before != kind_foo || c.after == kind_foo));
    }
}

TEST_CASE("two bundles without a catalog are compared as if there were an edge") {
    const std::string old = bundle("1.0.0", kind_foo);
    const std::string lost = "api-removed: foo.v1.0.0";
    const std::string with_channel = catalog("- name: foo.v1.1.0", {"1.1.0"});
    const struct {
        std::string_view what;
        std::string before, after, result;
    } cases[] = {
        {"of other names", old, bundle("1.1.0"), lost},
        {"of one name", old, bundle("1.0.0"), lost},
        {"two at once", old, bundle("1.1.0") + bundle("1.2.0"), ""},
        {"a bundle and a catalog", old, with_channel, "removed: foo.v1.0.0; default-channel: "},
        {"a catalog and a bundle", catalog("- name: foo.v1.0.0", {}) + old, bundle("1.1.0"),
         "removed: foo.v1.0.0; removed: foo.v1.0.0"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        CHECK(regressions(graph_of(c.before), graph_of(c.after)) == c.result);
    }
}

TEST_CASE("where users arrive is said once for each channel") {
    const std::string old =
        catalog("- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}", {"1.0.0", "1.1.0"});
    const std::string three = "- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n- {name: "
                              "foo.v1.2.0, replaces: foo.v1.1.0}\n";
    const std::vector<std::string_view> all{"1.0.0", "1.1.0", "1.2.0"};
    const struct {
        std::string_view what;
        std::string before, after;
        DiffOptions options;
        std::string result;
    } cases[] = {
        {"nothing changes", old, old, {}, ""},
        {"one more on top", old, catalog(three, all), {}, "stable: foo.v1.0.0 foo.v1.1.0 -> foo.v1.2.0"},
        {"one more on top, v1",
         old,
         catalog(three, all),
         {.olm = OlmGeneration::v1},
         "stable: foo.v1.0.0 foo.v1.1.0 -> foo.v1.2.0"},
        {"on top beside the chain",
         old,
         catalog("- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n- {name: foo.v1.2.0, "
                 "skips: [foo.v1.1.0]}\n",
                 all),
         {},
         "stable: foo.v1.1.0 -> foo.v1.2.0"},
        {"what the old catalog did not name does not count",
         old,
         catalog(three + "- {name: foo.v1.3.0, replaces: foo.v1.2.0, skipRange: '<1.0.0'}", all) +
             bundle("1.3.0"),
         {},
         "stable: foo.v1.0.0 foo.v1.1.0 -> foo.v1.3.0"},
        {"but if it is installed",
         old,
         catalog(three + "- {name: foo.v1.3.0, replaces: foo.v1.2.0, skipRange: '<1.0.0'}", all) +
             bundle("1.3.0"),
         {.installed =
              std::vector<InstalledVersion>{{"foo", "foo.v0.9.0",
                                             semver::VersionRelease{*semver::Version::parse("0.9.0"), {}},
                                             "foo.v0.9.0"}}},
         "stable: foo.v0.9.0 -> foo.v1.3.0"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        CHECK(upgrades(graph_of(c.before), graph_of(c.after), c.options) == c.result);
    }
}

TEST_CASE("versions that only edges or a skipRange name count, too") {
    const std::string below = "- {name: foo.v1.0.0, replaces: foo.v0.9.0}\n";
    const std::string first = "- name: foo.v1.0.0\n";
    const std::string above = "- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n";
    const std::string beside = "- {name: foo.v1.1.0, skips: [foo.v1.0.0]}\n";
    const std::string range = "- {name: foo.v1.1.0, replaces: foo.v1.0.0, skipRange: '>=0.5.0 <1.1.0'}\n";
    const std::string circle = "- {name: foo.v1.0.0, skipRange: '>=1.0.0 <2.0.0'}\n";
    const std::string lost = "users of versions that no bundle has, such as 0.5.0 and 0.5.1, get no upgrade";
    const struct {
        std::string_view what;
        std::string before, after;
        DiffOptions options;
        std::string result;
    } cases[] = {
        {"an edge from a version without a bundle goes",
         below + above,
         first + above,
         {},
         "stranded: no upgrade path from foo.v0.9.0 to the head of channel stable"},
        {"it led on outside of the chain",
         below + beside,
         first + beside,
         {},
         "stranded: OLM v1 led foo.v0.9.0 to the head of channel stable, and keeps it where it is now"},
        {"which OLM classic did not follow",
         below + beside,
         first + beside,
         {.olm = OlmGeneration::classic},
         ""},
        {"a skipRange goes",
         first + range,
         first + above,
         {},
         "stranded: " + lost + " in channel stable now: a skipRange covered them"},
        {"another entry takes it over",
         first + "- {name: foo.v1.1.0, replaces: foo.v1.0.0, skipRange: '>=0.5.0 <1.0.0'}\n",
         "- {name: foo.v1.0.0, skipRange: '>=0.5.0 <1.0.0'}\n" + above,
         {},
         ""},
        {"a lower entry covers the head",
         first + above,
         circle + above,
         {},
         "stranded: OLM classic upgrades foo.v1.0.0 and foo.v1.1.0 in a circle, without end: in channel "
         "stable a skipRange covers a version that is higher than its entry's"},
        {"it did before", circle + above, circle + above, {}, ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const std::vector<std::string_view> all{"1.0.0", "1.1.0"};
        CHECK(regressions(graph_of(catalog(c.before, all)), graph_of(catalog(c.after, all)), c.options,
                          true) == c.result);
    }
}

TEST_CASE("OLM v1 without channels is led less far") {
    const std::string required =
        "- {type: olm.package.required, value: {packageName: d, versionRange: '>=1.0.0'}}\n";
    const std::string bundles =
        bundle("1.0.0") + bundle("1.1.0", required) + bundle("1.2.0") + bundle("2.0.0", required);
    const auto stable = [&](std::string_view head) {
        return catalog(fmt::format("- name: foo.v1.0.0\n- {{name: foo.v1.1.0, replaces: foo.v1.0.0}}\n"
                                   "- {{name: foo.v2.0.0, replaces: foo.v1.1.0{}}}\n",
                                   head),
                       {}) +
               channel("fast", "- name: foo.v1.0.0\n- {name: foo.v1.2.0, replaces: foo.v1.0.0}\n") + bundles;
    };
    const Graph old = graph_of(stable(""));
    const Graph now = graph_of(stable(", skipRange: '<2.0.0'"));
    CHECK(regressions(old, now, {}, true) == "stranded: OLM v1 led foo.v1.0.0 to foo.v1.2.0 where no channel "
                                             "is named, and keeps it where it is now");
    CHECK(regressions(old, now, {.olm = OlmGeneration::classic}) == "");
    // Users of a version that the new catalog does not even name, and that is led on in another channel only.
    const std::string plain = bundle("1.0.0") + bundle("1.1.0") + bundle("2.0.0");
    const auto named = [&](std::string_view first) {
        return graph_of(catalog(fmt::format("- {}\n", first), {}) +
                        channel("fast", "- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n"
                                        "- {name: foo.v2.0.0, replaces: foo.v1.1.0}\n") +
                        plain);
    };
    CHECK(regressions(named("{name: foo.v1.0.0, skips: [foo.v0.9.0]}"), named("name: foo.v1.0.0"),
                      {.olm = OlmGeneration::v1}, true)
              .find("foo.v0.9.0") != std::string::npos);
    // A version that goes, or is skipped, is none that users are missed at.
    const std::string two =
        channel("fast", "- name: foo.v1.0.0\n- {name: foo.v2.0.0, replaces: foo.v1.0.0}\n");
    const std::string few = bundle("1.0.0") + bundle("1.2.0") + bundle("2.0.0");
    const Graph whole =
        graph_of(catalog("- name: foo.v1.0.0\n- {name: foo.v1.2.0, replaces: foo.v1.0.0}\n", {}) + two + few);
    const Graph back = graph_of(
        catalog("- name: foo.v1.0.0\n- {name: foo.v1.2.0, replaces: foo.v1.0.0, skips: [foo.v2.0.0]}\n", {}) +
        channel("fast", "- {name: foo.v1.0.0, skips: [foo.v2.0.0]}\n- name: foo.v2.0.0\n") + few);
    CHECK(regressions(whole, back, {.olm = OlmGeneration::v1}, true).find("no channel is named") ==
          std::string::npos);
}

TEST_CASE("a deprecated head is where OLM v1 no longer goes") {
    const std::string text =
        catalog("- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n", {"1.0.0", "1.1.0"});
    const std::string deprecated = text +
                                   "---\nschema: olm.deprecations\npackage: foo\nentries:\n"
                                   "- {reference: {schema: olm.bundle, name: foo.v1.1.0}, message: x}\n";
    CHECK(regressions(graph_of(text), graph_of(deprecated)) ==
          "stranded: foo.v1.0.0; deprecated: foo.v1.1.0");
    CHECK(regressions(graph_of(text), graph_of(deprecated), {.olm = OlmGeneration::classic}) ==
          "deprecated: foo.v1.1.0");
}

TEST_CASE("OLM v1 leads to less where it led to a version before a deprecated head, and no longer does") {
    const std::string three = "- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n"
                              "- {name: foo.v1.2.0, replaces: foo.v1.1.0}\n";
    const std::string of_head = "---\nschema: olm.deprecations\npackage: foo\nentries:\n"
                                "- {reference: {schema: olm.bundle, name: foo.v1.2.0}, message: x}\n";
    const Graph before = graph_of(catalog(three, {"1.0.0", "1.1.0", "1.2.0"}) + of_head);
    const Graph without = graph_of(
        catalog("- name: foo.v1.0.0\n- {name: foo.v1.2.0, replaces: foo.v1.0.0}\n", {"1.0.0", "1.2.0"}) +
        of_head);
    const std::string said = regressions(before, without, {.olm = OlmGeneration::v1}, true);
    CHECK(said.find("OLM v1 led foo.v1.0.0 to foo.v1.1.0 in channel stable, and keeps it where it is now: "
                    "foo.v1.2.0 is deprecated") != std::string::npos);
    CHECK(regressions(before, before) == "");
    // A higher version than before is not less, wherever it stops.
    const Graph further =
        graph_of(catalog(three + "- {name: foo.v1.1.5, replaces: foo.v1.1.0, skips: [foo.v1.0.0]}\n",
                         {"1.0.0", "1.1.0", "1.1.5", "1.2.0"}) +
                 of_head);
    CHECK(regressions(before, further, {.olm = OlmGeneration::v1}).find("stranded") == std::string::npos);
}

TEST_CASE("a channel that goes is a regression only for those who have one of its versions") {
    const Graph before =
        graph_of(catalog("- name: foo.v1.0.0", {"1.0.0", "1.1.0"}) + channel("b", "- name: foo.v1.1.0"));
    const Graph after = graph_of(catalog("- name: foo.v1.0.0", {"1.0.0", "1.1.0"}));
    const auto installed = [](std::string_view name) {
        return DiffOptions{.installed = std::vector<InstalledVersion>{{"foo", name, {}, name}}};
    };
    CHECK(regressions(before, after) == "stranded: foo.v1.1.0; removed: foo.v1.1.0");
    CHECK(regressions(before, after, installed("foo.v1.1.0")) == "stranded: foo.v1.1.0; removed: foo.v1.1.0");
    CHECK(regressions(before, after, installed("foo.v1.0.0")) == "");
}

TEST_CASE("the OLM that is asked for decides the first step of a version that no catalog names") {
    const std::string one = "- {name: foo.v1.0.0, skipRange: '<1.0.0'}\n";
    // OLM v1 goes to the highest version, OLM classic to the one nearest to the head.
    const Graph before = graph_of(catalog(one, {"1.0.0"}));
    const Graph after = graph_of(catalog("- {name: foo.v2.0.0, replaces: foo.v1.0.0}\n" + one +
                                             "- {name: foo.v0.9.5, skipRange: '<0.9.5'}\n",
                                         {"0.9.5", "1.0.0", "2.0.0"}));
    const auto of = [&](OlmGeneration olm) {
        return upgrades(
            before, after,
            {.olm = olm,
             .installed = std::vector<InstalledVersion>{
                 {"foo", "foo.v0.9.0", semver::VersionRelease{*semver::Version::parse("0.9.0"), {}}, ""}}});
    };
    CHECK(of(OlmGeneration::v1) == "stable: foo.v0.9.0 -> foo.v2.0.0");
    CHECK(of(OlmGeneration::classic) == ""); // it does not order a channel of several heads
}

TEST_CASE("a package that goes strands those who have one of its bundles, not of what its edges only name") {
    const Graph before = graph_of(catalog("- {name: foo.v1.0.0, replaces: foo.v0.9.0}", {"1.0.0"}));
    const Graph after = graph_of("schema: olm.package\nname: bar\ndefaultChannel: a\n---\n"
                                 "schema: olm.channel\npackage: bar\nname: a\nentries: [{name: bar.v1}]\n");
    CHECK(regressions(before, after) == "package-removed: foo.v1.0.0");
}

TEST_CASE("each version that is now skipped in one channel and not in another is a regression, also after "
          "new ones") {
    const std::vector<std::string_view> versions{"1.0.0", "1.1.0", "1.2.0"};
    const std::string fast = channel("fast", "- name: foo.v1.0.0");
    const Graph before = graph_of(catalog("- name: foo.v1.0.0", versions) + fast);
    // 1.1.0, which is new, is skipped, too, and comes first.
    const Graph after =
        graph_of(catalog("- name: foo.v1.1.0\n- {name: foo.v1.0.0, replaces: foo.v1.1.0}\n"
                         "- {name: foo.v1.2.0, replaces: foo.v1.0.0, skips: [foo.v1.1.0, foo.v1.0.0]}",
                         versions) +
                 fast);
    CHECK(has(regressions(before, after, {}, true),
              "foo.v1.0.0 is now skipped in channel stable but can still be "
              "newly installed from channel fast"));
}

TEST_CASE(
    "of an installed version without a name, the bundle of that version is meant, or one that is gone") {
    const Graph before = graph_of(catalog("- {name: foo.v1.0.0, skipRange: '<1.0.0'}", {"1.0.0"}));
    const Graph after = graph_of(catalog("- {name: foo.v1.0.0, skipRange: '<1.0.0'}\n"
                                         "- {name: foo.v1.1.0, replaces: foo.v1.0.0, skipRange: '<1.0.0'}",
                                         {"1.0.0", "1.1.0"}));
    const auto of = [&](std::string_view version) {
        return upgrades(
            before, after,
            {.installed = std::vector<InstalledVersion>{
                 {"foo", "", semver::VersionRelease{*semver::Version::parse(version), {}}, version}}});
    };
    CHECK(of("0.9.0") == "stable: 0.9.0 -> foo.v1.1.0");
    CHECK(of("1.0.0") == "stable: foo.v1.0.0 -> foo.v1.1.0");
}
