// What an ImageSetConfiguration keeps of a catalog. Covers lib/filter/request.cpp,
// lib/filter/entry_chain.cpp, lib/filter/validity.cpp and lib/filter/assemble.cpp.
#include "../catalog/catalog_text.hpp"
#include "opcat/filter/request.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

// foo has 1.0.0 to 1.3.0 and 2.0.0 in "stable" (1.2.0 is skipped by 1.3.0), 1.1.0 and 2.1.0-rc.1 in "beta",
// which leads out of the channel to 1.0.0.
std::string several() {
    return package() +
           channel(
               "{name: foo.v1.0.0}, {name: foo.v1.1.0, replaces: foo.v1.0.0}, {name: foo.v1.2.0, replaces: "
               "foo.v1.1.0}, {name: foo.v1.3.0, replaces: foo.v1.1.0, skips: [foo.v1.2.0]}, {name: "
               "foo.v2.0.0, replaces: foo.v1.3.0}") +
           channel("{name: foo.v1.1.0, replaces: foo.v1.0.0}, {name: foo.v2.1.0-rc.1, replaces: foo.v1.1.0}",
                   "beta") +
           bundle("foo.v1.0.0", "1.0.0") + bundle("foo.v1.1.0", "1.1.0") + bundle("foo.v1.2.0", "1.2.0") +
           bundle("foo.v1.3.0", "1.3.0") + bundle("foo.v2.0.0", "2.0.0") +
           bundle("foo.v2.1.0-rc.1", "2.1.0-rc.1");
}

// "CHANNEL: ENTRIES" of foo, the default channel marked with '*', then bundles without an entry; or the
// errors.
std::string kept(const std::string& text, const CatalogRequest& request, std::string* remarks = nullptr) {
    ThreadPool pool(1);
    const LoadedCatalog loaded = load_text(text);
    REQUIRE(loaded.diagnostics.empty());
    const FilteredCatalog filtered = filter_catalog(loaded.catalog, request, false, pool);
    std::string shown;
    std::string warnings;
    for (const Diagnostic& finding : filtered.diagnostics)
        (finding.severity == Severity::error ? shown : warnings) +=
            finding.message + (finding.help.empty() ? "" : " [" + finding.help + "]") + "\n";
    for (const std::string& repair : filtered.report.repairs) warnings += repair + "\n";
    if (remarks) *remarks = warnings;
    if (!shown.empty()) return shown.substr(0, shown.size() - 1);
    for (const PackageIndex& package : index_packages(filtered.catalog))
        for (const Channel* const one : package.channels) {
            shown += shown.empty() ? "" : " | ";
            shown += one->name.text;
            if (package.packages.front()->default_channel == one->name) shown += '*';
            shown += ':';
            for (const ChannelEntry& entry : one->entries)
                shown += ' ' + std::string(entry.name.text.substr(4));
        }
    return shown;
}

CatalogRequest foo(VersionBounds bounds = {}, std::vector<RequestedChannel> channels = {},
                   std::string default_channel = {}, bool full = false) {
    return {full, {{"foo", std::move(default_channel), std::move(channels), std::move(bounds)}}};
}

} // namespace

TEST_CASE("without bounds the heads of all channels are kept") {
    CHECK(kept(several(), {}) == "stable*: v2.0.0 | beta: v2.1.0-rc.1");
    CHECK(kept(several(), foo()) == "stable*: v2.0.0 | beta: v2.1.0-rc.1");
    CHECK(kept(several(), foo({}, {{"stable"}})) == "stable*: v2.0.0");
    CHECK(kept(several(), foo({}, {}, {}, true)) ==
          "stable*: v1.0.0 v1.1.0 v1.2.0 v1.3.0 v2.0.0 | beta: v1.1.0 v2.1.0-rc.1");
}

TEST_CASE("bounds keep the chain between the versions, and what it skips of them") {
    struct Case {
        VersionBounds bounds;
        std::string_view stable;
    };
    const Case cases[] = {
        {{"1.1.0", ""}, "stable*: v1.1.0 v1.2.0 v1.3.0 v2.0.0"},
        {{"", "1.1.0"}, "stable*: v1.0.0 v1.1.0"},
        {{"1.1.0", "1.2.0"}, "stable*: v1.1.0 v1.2.0 v1.3.0"}, // 1.2.0 is only reached through 1.3.0
        {{"1.2.0", "1.2.0"}, "stable*: v1.2.0"},               // a pin is that version alone
        {{"1", "1.3"}, "stable*: v1.0.0 v1.1.0 v1.2.0 v1.3.0"},
        {{"v1.3.0", "1.3.0"}, "stable*: v1.3.0"},
        {{"3.0.0", ""},
         "channel stable of package foo: it has no version in the range >=3.0.0 [change the bounds, or name "
         "other channels, and one of them with defaultChannel]"},
        {{"9.0.0", "9.0.0"},
         "package foo has no version 9.0.0 [`opcat list bundles CATALOG -p foo` lists its versions]"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.bounds.range());
        CHECK(kept(several(), foo(c.bounds, {{"stable"}})) == c.stable);
        CHECK(kept(several(), foo({}, {{"stable", c.bounds}})) == c.stable);
    }
}

TEST_CASE("bounds of a package hold for each channel without bounds of its own") {
    std::string remarks;
    CHECK(kept(several(), foo({"1.1.0", ""}), &remarks) ==
          "stable*: v1.1.0 v1.2.0 v1.3.0 v2.0.0 | beta: v1.1.0");
    CHECK(kept(several(), foo({"2.0.0", ""}), &remarks) == "stable*: v2.0.0");
    CHECK(remarks == "channel beta of package foo is dropped: it has no version in the range >=2.0.0\n");
    CHECK(kept(several(), foo({"2.1.0-rc.1", "2.1.0-rc.1"})) ==
          "channel stable of package foo: it does not have version 2.1.0-rc.1 [change the bounds, or name "
          "other channels, and one of them with defaultChannel]");
}

TEST_CASE("a minimum that is there only as a prerelease names it") {
    const std::string text =
        package() +
        channel("{name: foo.v0}, {name: foo.v1, replaces: foo.v0}, {name: foo.v2, replaces: foo.v1}") +
        bundle("foo.v1", "1.0.0-opr.1") + bundle("foo.v2", "1.1.0");
    const std::string named =
        "minVersion 1.0.0 leaves out 1.0.0-opr.1, a prerelease, which comes before it: to keep "
        "it, write minVersion: 1.0.0-opr.1";
    std::string remarks;
    CHECK(kept(text, foo({"1.0.0", ""}), &remarks) == "stable*: v2");
    CHECK(remarks.starts_with("package foo: " + named + "\n"));
    CHECK(kept(text, foo({"1.0.0", "1.0.9"})) ==
          "channel stable of package foo: it has no version in the range >=1.0.0 <=1.0.9 [" + named + "]");
}

TEST_CASE("the default channel must be among the kept ones") {
    CHECK(kept(several(), foo({}, {{"beta"}})) == "the default channel stable of package foo is not among "
                                                  "the kept channels [write defaultChannel: with one "
                                                  "of the kept channels (beta)]");
    CHECK(kept(several(), foo({}, {{"beta"}}, "beta")) == "beta*: v2.1.0-rc.1");
    CHECK(kept(several(), foo({}, {}, "beta")) == "stable: v2.0.0 | beta*: v2.1.0-rc.1");
    CHECK(kept(several(), foo({}, {{"stable"}}, "beta")) ==
          "defaultChannel beta of package foo is not among the kept channels [write defaultChannel: with one "
          "of the "
          "kept channels (stable)]");
}

TEST_CASE("what does not exist is ignored with a warning, unless nothing is left") {
    std::string remarks;
    CatalogRequest request = foo({}, {{"stable"}, {"stabel"}});
    request.packages.push_back({"bar"});
    CHECK(kept(several(), request, &remarks) == "stable*: v2.0.0");
    CHECK(remarks == "package foo has no channel \"stabel\", which is ignored [did you mean stable?]\n"
                     "the catalog has no package \"bar\", which is ignored\n");
    CHECK(kept(several(), {false, {{"bar"}}}) ==
          "nothing of the catalog is left: it does not have any of the named packages "
          "[correct the names of packages and channels]");
}

TEST_CASE("full: true and bounds contradict each other") {
    CHECK(kept(several(), foo({"1.0.0", ""}, {{"stable"}}, {}, true)) ==
          "channel stable of package foo: full: true and bounds of versions contradict each other [remove "
          "full, or "
          "minVersion and maxVersion]");
}

TEST_CASE("a channel must have a head and no cycle where heads or ranges are kept") {
    const std::string bundles = bundle("foo.v1", "1.0.0") + bundle("foo.v2", "2.0.0");
    struct Case {
        std::string_view entries, why;
    };
    const Case cases[] = {
        {"{name: foo.v1}, {name: foo.v2}", "it has several heads: foo.v1 and foo.v2"},
        {"{name: foo.v1, replaces: foo.v2}, {name: foo.v2, replaces: foo.v1}", "it has no head"},
        {"{name: foo.v1, skips: [foo.v1]}, {name: foo.v2}", "entry foo.v1 replaces or skips itself"},
        {"{name: foo.v1}, {name: foo.v1}, {name: foo.v2, replaces: foo.v1}", "it has two entries foo.v1"},
        {"{name: foo.v2}, {name: foo.v1, replaces: foo.v0}, {name: foo.v0, replaces: foo.v1}",
         "its upgrade graph has a cycle"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.entries);
        const std::string text = package() + channel(c.entries) + bundles;
        CHECK(kept(text, foo()).starts_with("channel stable of package foo: " + std::string(c.why)));
        CHECK(kept(text, foo({"1.0.0", ""}))
                  .starts_with("channel stable of package foo: " + std::string(c.why)));
        CHECK(kept(text, foo({"2.0.0", "2.0.0"})) == "stable*: v2");
    }
}

TEST_CASE("entries that lead to bundles outside of their channel are no cycle") {
    const std::string text =
        package() +
        channel("{name: foo.v3, replaces: foo.v0, skips: [foo.v2]}, {name: foo.v2, replaces: "
                "foo.v1}, {name: foo.v1}") +
        bundle("foo.v1", "1.0.0") + bundle("foo.v2", "2.0.0") + bundle("foo.v3", "3.0.0");
    CHECK(kept(text, foo()) == "stable*: v3");
    CHECK(kept(text, foo({"2.0.0", ""})) == "stable*: v3 v2");
}

TEST_CASE("a pinned version of one precedence with others is the exact one, or else one of the channel") {
    const std::string text =
        package() +
        channel("{name: foo.v0}, {name: foo.v1-b, replaces: foo.v0}, {name: foo.v1-c, replaces: foo.v1-b}") +
        bundle("foo.v1-a", "1.0.0+a") + bundle("foo.v1-b", "1.0.0+b") + bundle("foo.v1-c", "1.0.0+c") +
        bundle("foo.v1-d", "1.0.0+d");
    CHECK(kept(text, foo({"1.0.0", "1.0.0"})) == "stable*: v1-b");
    CHECK(kept(text, foo({"1.0.0+c", "1.0.0+c"})) == "stable*: v1-c");
    CHECK(kept(text, foo({"1.0.0+d", "1.0.0+d"}))
              .starts_with("channel stable of package foo: it does not have version 1.0.0+d"));
}

TEST_CASE("packages that kept bundles require are kept as they are, and dropped channels are named") {
    const auto other = [](std::string_view name) {
        return fmt::format(
            "---\n{{schema: olm.package, name: {0}, defaultChannel: all}}\n"
            "---\n{{schema: olm.channel, package: {0}, name: all, entries: [{{name: {0}.v1}}]}}\n"
            "---\n{{schema: olm.bundle, package: {0}, name: {0}.v1, image: 'quay.io/org/{0}:v1', properties: "
            "[{{type: olm.package, value: {{packageName: {0}, version: 1.0.0}}}}]}}\n",
            name);
    };
    const auto require = [](std::string_view name) {
        return fmt::format(
            ", {{type: olm.package.required, value: {{packageName: {}, versionRange: '>=1.0.0'}}}}", name);
    };
    const LoadedCatalog loaded =
        load_text(package() + channel("{name: foo.v2}, {name: foo.v1}") + channel("{name: foo.v1}", "old") +
                  bundle("foo.v1", "1.0.0", require("unused")) +
                  bundle("foo.v2", "2.0.0", require("bar") + require("zoo") + require("foo")) + other("bar") +
                  other("zoo") + other("unused"));
    REQUIRE(loaded.diagnostics.empty());
    ThreadPool pool(1);
    const FilteredCatalog filtered =
        filter_catalog(loaded.catalog, foo({"2.0.0", "2.0.0"}, {{"stable", {}}}), true, pool);
    std::string entries;
    for (const Channel& one : filtered.catalog.channels)
        for (const ChannelEntry& entry : one.entries)
            entries += fmt::format("{}/{} ", one.package.text, entry.name.text);
    CHECK(entries == "bar/bar.v1 foo/foo.v2 zoo/zoo.v1 ");
    REQUIRE(filtered.report.kept.size() == 3);
    CHECK(filtered.report.kept[1].dropped_channels == std::vector<std::string>{"old"});
    CHECK(filtered.report.kept[1].dropped_versions == std::vector<std::string>{"foo.v1"});
}

TEST_CASE("where oc-mirror's selection is not a valid catalog, it is repaired, and that is said") {
    constexpr std::string_view start =
        "foo: repaired, because what oc-mirror selects is not a valid catalog: ";
    const std::string bundles =
        bundle("foo.v1", "1.0.0") + bundle("foo.v2", "2.0.0") + bundle("foo.v3", "3.0.0");
    struct Case {
        std::string text;
        CatalogRequest request;
        std::string_view kept, remark;
    };
    const Case cases[] = {
        {several(), foo({}, {{"beta", {"", "1.1.0"}}}, "beta"), "beta*: v1.1.0",
         "it drops foo.v1.0.0, which no kept channel has"},
        {several(), foo({"2.0.0", ""}, {}, "beta"), "stable*: v2.0.0",
         "its default channel is stable, as beta is not there"},
        {package() + channel("{name: foo.v1}, {name: foo.v2}, {name: foo.v3, replaces: foo.v2}") + bundles,
         foo({}, {}, {}, true), "stable*: v1 v2 v3",
         "channel stable has one head, foo.v3, which now skips foo.v1"},
        // Versions count, not names, and not the order of the entries.
        {package() +
             channel("{name: foo.v11, replaces: foo.v2}, {name: foo.v2}, {name: foo.v9}, {name: foo.v10}") +
             bundle("foo.v2", "2.0.0") + bundle("foo.v9", "9.0.0") + bundle("foo.v10", "10.0.0") +
             bundle("foo.v11", "11.0.0"),
         foo({}, {}, {}, true), "stable*: v11 v2 v9 v10",
         "channel stable has one head, foo.v11, which now skips foo.v9 and foo.v10"},
        {package() +
             channel("{name: foo.v1, replaces: foo.v3}, {name: foo.v2, replaces: foo.v1}, {name: foo.v3, "
                     "replaces: "
                     "foo.v2}") +
             bundles,
         foo({}, {}, {}, true), "stable*: v1 v2 v3",
         "channel stable has one head, foo.v3, and no edge from foo.v3 to foo.v1"},
        {package("defaultChannel: gone") + channel("{name: foo.v1}") + bundle("foo.v1", "1.0.0"),
         {},
         "stable*: v1",
         "its default channel is stable, as gone is not there"},
        {package() + channel("{name: foo.v1}, {name: foo.v2, replaces: foo.v1}") + bundle("foo.v2", "2.0.0"),
         {true},
         "stable*: v2",
         "channel stable loses foo.v1, which has no bundle"},
    };
    for (const Case& c : cases) {
        std::string remarks;
        CHECK(kept(c.text, c.request, &remarks) == c.kept);
        const size_t at = remarks.find(start);
        REQUIRE(at != remarks.npos);
        CHECK(remarks.substr(at + start.size()) == std::string(c.remark) + "\n");
    }
}

TEST_CASE("deprecations of what is gone go, and an unreadable version refuses its package") {
    ThreadPool pool(1);
    const LoadedCatalog loaded = load_text(
        several() +
        "---\n{schema: olm.deprecations, package: foo, entries: [{reference: {schema: olm.channel, name: "
        "beta}, "
        "message: a}, {reference: {schema: olm.bundle, name: foo.v1.0.0}, message: b}, {reference: {schema: "
        "olm.package}, message: c}]}\n---\n{schema: my.blob, package: foo}\n---\n{schema: my.blob}\n");
    const FilteredCatalog filtered = filter_catalog(loaded.catalog, foo({}, {{"stable"}}), false, pool);
    REQUIRE(filtered.catalog.deprecations.size() == 1);
    REQUIRE(filtered.catalog.deprecations[0].entries.size() == 1);
    CHECK(filtered.catalog.deprecations[0].entries[0].message == "c");
    CHECK(filtered.catalog.others.size() == 2);

    CHECK(kept(several() + bundle("foo.v9", "one"), foo())
              .starts_with("the version of bundle foo.v9 cannot be read"));
}
