#include "graph_builder.hpp"
#include "opcat/graph/diff_report.hpp"

#include <fmt/format.h>

using namespace opcat;
using namespace opcat::test;

namespace {

const std::vector<std::string_view> all{"1.0.0", "1.0.1", "1.1.0", "1.2.0"};
const std::string base = catalog("- name: foo.v1.0.0\n- name: foo.v1.0.1\n  replaces: foo.v1.0.0\n"
                                 "- name: foo.v1.1.0\n  replaces: foo.v1.0.1",
                                 {"1.0.0", "1.0.1", "1.1.0"});

std::vector<std::string> regressions(const CatalogDiff& diff) {
    std::vector<std::string> out;
    for (const Regression& regression : diff.regressions)
        out.push_back(
            fmt::format("{}: {}", to_string(regression.kind), fmt::join(regression.installed, " ")));
    return out;
}

CatalogDiff diff(const Graph& before, const Graph& after) {
    return diff_catalogs({before.loaded.catalog, before.graph}, {after.loaded.catalog, after.graph});
}

} // namespace

TEST_CASE("regressions of a new catalog") {
    const struct {
        std::string_view what;
        std::string now;
        std::vector<std::string> regressions;
    } cases[] = {
        {"nothing changes", base, {}},
        {"one more on top",
         catalog("- name: foo.v1.0.0\n- name: foo.v1.0.1\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0\n  "
                 "replaces: foo.v1.0.1\n"
                 "- name: foo.v1.2.0\n  replaces: foo.v1.1.0",
                 all),
         {}},
        {"a bad one is skipped in the next catalog",
         catalog("- name: foo.v1.0.0\n- name: foo.v1.0.1\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0\n  "
                 "replaces: foo.v1.0.1\n"
                 "- name: foo.v1.2.0\n  replaces: foo.v1.0.1\n  skips: [foo.v1.1.0]",
                 all),
         {}},
        {"old ones are gone, and still have a way",
         catalog("- name: foo.v1.1.0\n  skipRange: '<1.1.0'", {"1.1.0"}),
         {"removed: foo.v1.0.0 foo.v1.0.1"}},
        {"old ones are gone without a way",
         catalog("- name: foo.v1.1.0\n  replaces: foo.v1.0.1", {"1.1.0"}),
         {"stranded: foo.v1.0.0", "removed: foo.v1.0.0 foo.v1.0.1"}},
        {"a release between is no longer met",
         catalog("- name: foo.v1.0.0\n- name: foo.v1.0.1\n- name: foo.v1.1.0\n  replaces: foo.v1.0.1\n  "
                 "skips: [foo.v1.0.0]",
                 {"1.0.0", "1.0.1", "1.1.0"}),
         {"z-stream: foo.v1.0.0"}},
        {"two heads",
         catalog("- name: foo.v1.0.0\n- name: foo.v1.0.1\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0",
                 {"1.0.0", "1.0.1", "1.1.0"}),
         {"stranded: foo.v1.0.0 foo.v1.0.1", "ambiguous: foo.v1.0.0 foo.v1.0.1 foo.v1.1.0"}},
        {"two bundles of one version, of which OLM v1 cannot choose",
         catalog("- name: foo.v1.0.0\n- name: foo.v1.0.1\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0\n  "
                 "replaces: foo.v1.0.1\n  skips: [foo.v1.1.0-again]\n- name: foo.v1.1.0-again\n  "
                 "replaces: foo.v1.0.1",
                 {"1.0.0", "1.0.1", "1.1.0"}) +
             "---\nschema: olm.bundle\npackage: foo\nname: foo.v1.1.0-again\nimage: quay.io/foo/foo:again\n"
             "properties:\n- type: olm.package\n  value: {packageName: foo, version: 1.1.0}\n",
         {"ambiguous: foo.v1.0.1"}},
        {"bad in one channel, good in another",
         catalog("- name: foo.v1.0.0\n- name: foo.v1.0.1\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0\n  "
                 "replaces: foo.v1.0.1\n"
                 "- name: foo.v1.2.0\n  replaces: foo.v1.0.1\n  skips: [foo.v1.1.0]",
                 all) +
             channel("fast", "- name: foo.v1.1.0"),
         {"skipped-again: "}},
    };
    const Graph before = graph_of(base);
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const Graph now = graph_of(c.now);
        CHECK(regressions(diff(before, now)) == c.regressions);
    }
}

TEST_CASE("channels, default channels, deprecations and packages") {
    const Graph before = graph_of(base + channel("fast", "- name: foo.v1.1.0"));
    std::string text = base;
    text.replace(text.find("defaultChannel: stable"), 22, "defaultChannel: other");
    const Graph now = graph_of(
        text + channel("other", "- name: foo.v1.1.0") +
        "---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {schema: olm.channel, name: "
        "stable}\n  message: use other\n");
    const CatalogDiff found = diff(before, now);
    CHECK(regressions(found) ==
          std::vector<std::string>{"removed: foo.v1.1.0", "default-channel: ", "deprecated: "});
    CHECK(diff_as_text(found, false) ==
          "~ foo\n"
          "  ~ package\n      default channel was stable and is other\n"
          "  - channel fast\n"
          "  + channel other\n      1 version\n"
          "  ~ channel stable\n      deprecated: use other\n"
          "\nregressions\n"
          "  [removed] foo: channel fast is gone: subscriptions to it get no further upgrades\n"
          "      catalog.yaml:" +
              std::to_string(
                  before.graph.packages[0]
                      .channels[0]
                      .channel->file->position(before.graph.packages[0].channels[0].channel->name.offset)
                      .line) +
              ":7\n"
              "  [default-channel] foo: the default channel was stable and is other: those who name no "
              "channel get other versions\n"
              "      catalog.yaml:3:17\n"
              "  [deprecated] foo: channel stable is deprecated: use other\n"
              "      catalog.yaml:7:7\n");
    const std::string markdown = diff_as_markdown({{{}, found, {}}});
    CHECK(markdown.find("| **default-channel** | `foo` |") != markdown.npos);
    CHECK(diff_as_json({{{}, found, {}}}).find("\"schema\": \"opcat.diff.v1\"") != std::string::npos);

    const Graph nothing;
    CHECK(regressions(diff(before, nothing)) ==
          std::vector<std::string>{"package-removed: foo.v1.0.0 foo.v1.0.1 foo.v1.1.0"});
    CHECK(diff(nothing, before).regressions.empty());
}

TEST_CASE("changes of bundles are named") {
    const Graph before =
        graph_of(catalog("- name: foo.v1.0.0", {}) +
                 bundle("1.0.0", "- type: x\n  value: 1\n- type: w\n  value: {b: 1, a: 2}\n"));
    std::string text =
        catalog("- name: foo.v1.0.0", {}) +
        bundle("1.0.0", "- type: x\n  value: 2\n- type: w\n  value: {a: 2, b: 1}\n- type: z\n  value: 1\n");
    text.replace(text.find("quay.io/foo/foo:v1.0.0"), 22, "quay.io/foo/foo:v1.0.x");
    const Graph now = graph_of(text);
    const CatalogDiff found = diff(before, now);
    REQUIRE(found.packages.size() == 1);
    REQUIRE(found.packages[0].changes.size() == 1);
    CHECK(found.packages[0].changes[0].details ==
          std::vector<std::string>{"image was quay.io/foo/foo:v1.0.0 and is quay.io/foo/foo:v1.0.x",
                                   "x: was 1 and is 2", "new property z"});
}

TEST_CASE("whom OLM v1 leads no further than a step that it does not take is stranded") {
    const auto with_modes = [](std::string_view version, std::string_view supported) {
        return bundle(version,
                      fmt::format("- type: olm.csv.metadata\n  value: {{apiServiceDefinitions: {{}}, "
                                  "installModes: [{{type: AllNamespaces, supported: {}}}]}}\n",
                                  supported));
    };
    const std::string two = "- name: foo.v1.0.0\n- name: foo.v1.2.0\n  replaces: foo.v1.0.0";
    const auto three = [](std::string_view step) {
        return fmt::format(
            "- name: foo.v1.0.0\n- name: foo.v{0}\n  replaces: foo.v1.0.0\n- name: foo.v1.2.0\n  "
            "replaces: foo.v{0}",
            step);
    };
    const Graph before =
        graph_of(catalog(two, {}) + with_modes("1.0.0", "true") + with_modes("1.2.0", "true"));
    const struct {
        std::string now;
        std::vector<std::string> messages;
    } cases[] = {
        {catalog(three("1.1.0"), {}) + with_modes("1.0.0", "true") + with_modes("1.1.0", "true") +
             with_modes("1.2.0", "true"),
         {}},
        {catalog(three("0.9.0"), {}) + with_modes("1.0.0", "true") + with_modes("0.9.0", "true") +
             with_modes("1.2.0", "true"),
         {"OLM v1 led foo.v1.0.0 to the head of channel stable, and keeps it where it is now: foo.v0.9.0 has "
          "a lower "
          "version"}},
        {catalog(three("1.1.0"), {}) + with_modes("1.0.0", "true") + with_modes("1.1.0", "false") +
             with_modes("1.2.0", "true"),
         {"OLM v1 led foo.v1.0.0 to the head of channel stable, and keeps it where it is now: it does not "
          "install "
          "foo.v1.1.0: unsupported bundle: bundle does not support AllNamespaces install mode"}},
    };
    for (const auto& one : cases) {
        CAPTURE(one.now);
        const Graph now = graph_of(one.now);
        for (const auto olm : {std::optional<OlmGeneration>(), std::optional(OlmGeneration::v1),
                               std::optional(OlmGeneration::classic)}) {
            std::vector<std::string> messages;
            for (const Regression& regression : diff_catalogs({before.loaded.catalog, before.graph},
                                                              {now.loaded.catalog, now.graph}, {.olm = olm})
                                                    .regressions)
                if (regression.kind == RegressionKind::stranded) messages.push_back(regression.message);
            CHECK(messages == (olm == OlmGeneration::classic ? std::vector<std::string>() : one.messages));
        }
    }
}

TEST_CASE("deprecations are regressions once, with their messages on one line") {
    const auto deprecated = [](std::string_view package, std::string_view bundle) {
        return base + fmt::format("---\nschema: olm.deprecations\npackage: foo\nentries:\n"
                                  "- reference: {{schema: olm.package}}\n  message: |\n    {}\n    soon\n"
                                  "- reference: {{schema: olm.bundle, name: foo.v1.0.1}}\n  message: {}\n",
                                  package, bundle);
    };
    const Graph before = graph_of(base);
    const Graph now = graph_of(deprecated("use bar", "loses data"));
    const Graph later = graph_of(deprecated("use baz", "loses data"));
    CHECK(diff_as_text(diff(before, now), false) ==
          "~ foo\n"
          "  ~ package\n      deprecated: use bar soon\n"
          "  ~ bundle foo.v1.0.1\n      deprecated: loses data\n"
          "\nregressions\n"
          "  [stranded] foo: OLM v1 led foo.v1.0.0 to the head of channel stable, and keeps it where it is "
          "now: "
          "foo.v1.0.1 is deprecated\n"
          "      catalog.yaml:7:7\n"
          "  [deprecated] foo: the package is deprecated: use bar soon\n"
          "      catalog.yaml:2:7\n"
          "  [deprecated] foo: newly deprecated: foo.v1.0.1\n"
          "      catalog.yaml:25:7\n");
    CHECK(diff_as_text(diff(now, later), false) ==
          "~ foo\n  ~ package\n      another deprecation message: use baz soon\n\nno regressions\n");
    CHECK(diff_as_text(diff(now, before), false) ==
          "~ foo\n  ~ package\n      no longer deprecated\n"
          "  ~ bundle foo.v1.0.1\n      no longer deprecated\n\nno regressions\n");
}

TEST_CASE("a comment on a pull request says that nothing is affected, and which packages are new") {
    const Graph nothing;
    const Graph now = graph_of(base);
    const auto comment = [](CatalogDiff diff) {
        std::vector<NamedDiff> all(1);
        all[0].diff = std::move(diff);
        return diff_as_markdown(all);
    };
    CHECK(comment(diff(nothing, now)) == "## Catalog changes\n\n1 package: 1 added, 0 removed, 0 changed. 0 "
                                         "regressions.\n\nNo regressions.\n"
                                         "\n- package `foo` added\n");
    CHECK(comment(diff(now, nothing)).ends_with("\n- package `foo` removed\n"));
    CHECK(comment(diff(now, now)) == "## Catalog changes\n\nNo changes.\n");
}

TEST_CASE("other related images are named") {
    const Graph before = graph_of(
        catalog("- name: foo.v1.0.0", {}) +
        bundle("1.0.0", "relatedImages:\n- {name: a, image: r.example/a}\n- {image: r.example/b}\n"));
    const Graph other_order = graph_of(
        catalog("- name: foo.v1.0.0", {}) +
        bundle("1.0.0", "relatedImages:\n- {image: r.example/b}\n- {name: a, image: r.example/a}\n"));
    const Graph now = graph_of(
        catalog("- name: foo.v1.0.0", {}) +
        bundle("1.0.0", "relatedImages:\n- {name: a, image: r.example/a}\n- {image: r.example/c}\n"));
    CHECK(diff(before, other_order).packages.empty());
    CHECK(diff(before, now).packages.at(0).changes.at(0).details ==
          std::vector<std::string>{"related image was r.example/b and is r.example/c"});
}

TEST_CASE("globs match whole names") {
    const struct {
        std::string_view glob, name;
        bool matches;
    } cases[] = {{"candidate*", "candidate-4.18", true},
                 {"candidate*", "candidate", true},
                 {"candidate*", "my-candidate", false},
                 {"*-v?.*", "stable-v1.2", true},
                 {"*a*b", "xaxxab", true},
                 {"*a*b", "xaxxabc", false},
                 {"", "", true},
                 {"", "a", false},
                 {"*", "", true},
                 {"fast", "fast", true}};
    for (const auto& c : cases) {
        CAPTURE(c.glob);
        CAPTURE(c.name);
        CHECK(matches_glob(c.glob, c.name) == c.matches);
    }
}

TEST_CASE("options say whose regressions count") {
    const Graph before = graph_of(
        base + channel("candidate", "- name: foo.v1.1.0\n- name: foo.v1.2.0\n  replaces: foo.v1.1.0") +
        bundle("1.2.0"));
    const Graph now =
        graph_of(catalog("- name: foo.v1.1.0", {"1.1.0"}) + channel("candidate", "- name: foo.v1.1.0"));
    const auto with = [&](const DiffOptions& options) {
        return regressions(
            diff_catalogs({before.loaded.catalog, before.graph}, {now.loaded.catalog, now.graph}, options));
    };
    CHECK(with({}) == std::vector<std::string>{"stranded: foo.v1.2.0", "stranded: foo.v1.0.0 foo.v1.0.1",
                                               "removed: foo.v1.0.0 foo.v1.0.1 foo.v1.2.0"});
    const CatalogDiff allowed =
        diff_catalogs({before.loaded.catalog, before.graph}, {now.loaded.catalog, now.graph},
                      {.allowed_channels = {"cand*"}});
    CHECK(regressions(allowed) ==
          std::vector<std::string>{"stranded: foo.v1.2.0", "stranded: foo.v1.0.0 foo.v1.0.1",
                                   "removed: foo.v1.0.0 foo.v1.0.1", "removed: foo.v1.2.0"});
    for (size_t i = 0; i < 4; ++i) CHECK(allowed.regressions[i].is_allowed == (i == 0 || i == 3));
    CHECK(with({.installed = std::vector<InstalledVersion>{{"foo", "foo.v1.0.1", {}, "foo.v1.0.1"}}}) ==
          std::vector<std::string>{"stranded: foo.v1.0.1", "removed: foo.v1.0.1"});
    CHECK(with({.installed = std::vector<InstalledVersion>{{"bar", "bar.v1", {}, "bar.v1"}}}).empty());
    CHECK(with({.packages = {"bar"}}).empty());
}

TEST_CASE("users arrive at other versions") {
    const Graph before = graph_of(base);
    const Graph now = graph_of(catalog("- name: foo.v1.0.1\n- name: foo.v1.1.0\n  replaces: foo.v1.0.1\n"
                                       "- name: foo.v1.2.0\n  replaces: foo.v1.1.0\n  skipRange: '<1.0.1'",
                                       {"1.0.1", "1.1.0", "1.2.0"}));
    for (const auto olm : {OlmGeneration::classic, OlmGeneration::v1}) {
        const CatalogDiff found = diff_catalogs({before.loaded.catalog, before.graph},
                                                {now.loaded.catalog, now.graph}, {.olm = olm});
        REQUIRE(found.upgrades.size() == 1);
        CHECK(fmt::format("{} {}", fmt::join(found.upgrades[0].from, " "), found.upgrades[0].to) ==
              "foo.v1.0.0 foo.v1.0.1 foo.v1.1.0 foo.v1.2.0");
    }
}
