// Covers lib/olm.
#include "graph_builder.hpp"
#include "opcat/base/error.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/olm/v1_rules.hpp"

using namespace opcat;
using namespace opcat::test;

namespace {

std::string deprecate(std::string_view bundle) {
    return fmt::format(
        "---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {{schema: olm.bundle, "
        "name: {}}}\n  message: no more\n",
        bundle);
}

// A bundle foo.RELEASE of version 1.2.0.
std::string release(std::string_view name) {
    return fmt::format(
        "---\nschema: olm.bundle\npackage: foo\nname: foo.{0}\nimage: quay.io/foo/foo:{0}\n"
        "properties:\n- type: olm.package\n  value: {{packageName: foo, version: 1.2.0, release: {0}}}\n",
        name);
}

} // namespace

TEST_CASE("the two OLMs differ as the documentation of OLM v1 says") {
    const Graph g = graph_of(catalog("- name: foo.v3.0.0\n  skips: [foo.v2.0.0]\n"
                                     "- name: foo.v2.0.0\n  skipRange: '>=1.0.0 <2.0.0'",
                                     {"3.0.0", "2.0.0"}));
    const Installed installed = installed_as("1.0.0", g);
    CHECK(installed.node == no_node);
    const auto classic = classic_successors(g.package(), g.channel(), installed);
    const auto v1 = v1_successors(g.package(), g.all(), installed);
    CHECK(classic.next == no_node);
    CHECK(g.name(v1.next) == "foo.v2.0.0");
    CHECK(explain_difference(g.package(), classic, v1, installed) ==
          "foo.v2.0.0 is skipped by foo.v3.0.0 and so not on the replaces chain, from which OLM classic "
          "chooses; "
          "OLM v1 ignores chains");
}

TEST_CASE("successors of an installed version") {
    const std::vector<std::string_view> versions{"1.0.0", "1.1.0", "1.2.0", "2.0.0"};
    const std::string chain = "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n"
                              "- name: foo.v1.2.0\n  replaces: foo.v1.1.0\n";
    const struct {
        std::string_view what;
        std::string yaml;
        std::string_view from;
        std::string_view classic, v1;
    } cases[] = {
        {"replaces goes one step", catalog(chain, versions), "foo.v1.0.0", "foo.v1.1.0", "foo.v1.1.0"},
        {"the head stays", catalog(chain, versions), "foo.v1.2.0", "", ""},
        {"each of several skips is an edge",
         catalog(chain + "  skips: [foo.v0.8.0, foo.v1.0.0, foo.v0.9.0]", versions), "foo.v1.0.0",
         "foo.v1.2.0", "foo.v1.2.0"},
        {"skips jump", catalog(chain + "  skips: [foo.v1.0.0]", versions), "foo.v1.0.0", "foo.v1.2.0",
         "foo.v1.2.0"},
        {"a skipRange covers a version that the catalog does not name",
         catalog(chain + "  skipRange: '<1.1.0'", versions), "0.5.0", "foo.v1.2.0", "foo.v1.2.0"},
        {"a virtual version is known by its name",
         catalog("- name: foo.v1.1.0\n  replaces: foo.v0.9.0", versions), "foo.v0.9.0", "foo.v1.1.0",
         "foo.v1.1.0"},
        {"the deprecated one is avoided by v1",
         catalog(chain + "  skips: [foo.v1.0.0]", versions) + deprecate("foo.v1.2.0"), "foo.v1.0.0",
         "foo.v1.2.0", "foo.v1.1.0"},
        {"v1 does not leave for a deprecated one",
         catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0", versions) +
             deprecate("foo.v1.1.0"),
         "foo.v1.0.0", "foo.v1.1.0", ""},
        {"nearest to the head is not always the highest",
         catalog("- name: foo.v1.1.0\n  replaces: foo.v1.2.0\n  skipRange: '<1.1.0'\n"
                 "- name: foo.v1.2.0\n  skipRange: '<1.2.0'\n- name: foo.v1.0.0\n",
                 versions),
         "foo.v1.0.0", "", "foo.v1.2.0"}, // two heads: classic resolves nothing
        {"an entry without a bundle is not chosen",
         catalog("- name: foo.v1.9.0\n  replaces: foo.v1.1.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0",
                 versions),
         "foo.v1.0.0", "foo.v1.1.0", "foo.v1.1.0"},
        {"the release decides between two of one version",
         catalog("- name: foo.v1.0.0\n- name: foo.r1\n  replaces: foo.v1.0.0\n- name: foo.r2\n  replaces: "
                 "foo.r1\n"
                 "  skips: [foo.v1.0.0]",
                 versions) +
             release("r1") + release("r2"),
         "foo.v1.0.0", "foo.r2", "foo.r2"},
        {"an entry that covers itself stays", catalog("- name: foo.v1.0.0\n  skipRange: '<=1.0.0'", versions),
         "foo.v1.0.0", "", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const Graph g = graph_of(c.yaml);
        const Installed from = installed_as(c.from, g);
        CHECK(g.name(classic_successors(g.package(), g.channel(), from).next) == c.classic);
        CHECK(g.name(v1_successors(g.package(), g.all(), from).next) == c.v1);
    }
}

TEST_CASE("of several packages, channels, entries and bundles of one name") {
    const Graph g =
        graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- name: foo.v2.0.0",
                         {"1.0.0", "2.0.0"}) +
                 channel("stable", "- name: foo.v1.0.0"));
    CHECK(g.channel().entries.size() == 3); // the first channel
    CHECK(g.channel().find(g.node("foo.v2.0.0")) == &g.channel().entries.back());
    CHECK(g.graph.find("foo") == &g.package());
    CHECK(g.graph.find("bar") == nullptr);
    CHECK(g.graph.find("zoo") == nullptr);
}

TEST_CASE("a step has the edges of all channels, and the first of two equally short paths is shown") {
    const std::string to_three = "- name: foo.v3.0.0\n  replaces: foo.v2.0.0\n  skips: [foo.v1.0.0]";
    const Graph g =
        graph_of(catalog(to_three, {"1.0.0", "2.0.0", "3.0.0"}) + channel("other", to_three) +
                 channel("low", "- name: foo.v1.0.0\n  skipRange: '<1.0.0'\n- name: foo.v2.0.0\n  skipRange: "
                                "'<1.0.0'"));
    const V1Successors successors = v1_successors(g.package(), g.all(), installed_as("foo.v2.0.0", g));
    REQUIRE(successors.candidates.size() == 1);
    std::string channels;
    for (const EdgeOrigin& edge : successors.candidates.front().edges)
        channels += fmt::format("{} ", edge.channel->name);
    CHECK(channels == "other stable ");

    const auto path =
        ShortestPaths(g.package(), {g.all()}, g.node("foo.v3.0.0")).path(installed_as("0.5.0", g));
    REQUIRE(path);
    CHECK(g.name(path->front().to) == "foo.v1.0.0");
}

TEST_CASE("a skipRange covers intervals of the versions in their order") {
    const struct {
        std::string_view range, covers;
    } cases[] = {
        {">=1.1.0 <2.0.0", "foo.v1.1.0 other.v1.1.0 foo.v1.2.0"},
        {"<1.1.0 || >=2.0.0 <3.0.0", "foo.v1.0.0 | foo.v2.0.0"},
        {">=1.0.0 <1.2.0 || >=1.2.0 <2.0.0", "foo.v1.0.0 foo.v1.1.0 other.v1.1.0 foo.v1.2.0"},
        {"!=1.1.0", "foo.v1.0.0 | foo.v1.2.0 foo.v2.0.0"},
        {">=1.1.0 <=1.1.0", "foo.v1.1.0 other.v1.1.0"},
        {">1.2.5 <1.9.0", ""},
        {"no range", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.range);
        const Graph g = graph_of(
            catalog(fmt::format("- name: foo.v1.0.0\n  skipRange: '{}'\n- name: other.v1.1.0", c.range),
                    {"2.0.0", "1.1.0", "1.2.0", "1.0.0"}));
        std::string covers;
        for (const RankInterval& interval : g.package().skip_ranges.at(0).covers) {
            if (!covers.empty()) covers += " | ";
            for (uint32_t rank = interval.begin; rank < interval.end; ++rank)
                covers += (rank > interval.begin ? " " : "") + g.name(g.package().by_version[rank]);
        }
        CHECK(covers == c.covers);
    }
}

TEST_CASE("only a field release makes a second version") {
    const struct {
        std::string_view property;
        bool has_release;
        std::string_view legacy, with_release;
    } cases[] = {
        {"olm.package, value: {packageName: foo, version: 1.0.0}", false, "1.0.0", "1.0.0"},
        {"olm.package, value: {packageName: foo, version: 1.0.0, release: r1}", true, "1.0.0", "1.0.0+r1"},
        {"olm.package, value: {packageName: foo, version: 1.0.0+r1}", false, "1.0.0+r1", "1.0.0+r1"},
        {"olm.package, value: {packageName: foo, version: 1.0.0, release: 1}", false, "", ""},
        {"olm.package, value: [1.0.0]", false, "", ""},
        {"olm.package", false, "", ""},
        {"other, value: {packageName: foo, version: 1.0.0, release: r1}", false, "", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.property);
        const Graph g =
            graph_of(fmt::format("schema: olm.package\nname: foo\ndefaultChannel: stable\n---\n"
                                 "schema: olm.bundle\npackage: foo\nname: foo.v1.0.0\nimage: i:1\n"
                                 "properties:\n- {{type: {}}}\n",
                                 c.property));
        const PackageBundle& bundle = g.package().bundles.at(0);
        CHECK(has_release_field(*bundle.bundle) == c.has_release);
        CHECK(bundle.with_release.has_value() == c.has_release);
        const auto text = [](const BundleVersion& version) {
            return version ? version->to_legacy_string() : "";
        };
        CHECK(text(bundle.version(false)) == c.legacy);
        CHECK(text(bundle.version(true)) == c.with_release);
        const auto& of_node = g.package().nodes.at(0).version;
        CHECK((of_node ? of_node->to_legacy_string() : "") == c.with_release);
    }
}

TEST_CASE("the upgrades of OLM v1 end for these reasons") {
    const std::string two = "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n";
    const std::string three = two + "- name: foo.v3.0.0\n  replaces: foo.v2.0.0\n";
    const std::vector<std::string_view> versions{"1.0.0", "2.0.0", "3.0.0"};
    const std::string back = "schema: olm.package\nname: foo\ndefaultChannel: stable\n" +
                             channel("stable", "- name: foo.v1.0.0\n  replaces: foo.v2.0.0\n"
                                               "- name: foo.v2.0.0\n  replaces: foo.v1.0.0");
    const std::string needs = "- type: olm.gvk.required\n  value: {group: g, version: v1, kind: K}\n";
    const struct {
        std::string_view what;
        std::string yaml;
        std::string_view channel; // empty: all
        std::string_view from;
        std::string steps;
        WalkEnd end;
    } cases[] = {
        {"at the head", catalog(three, versions), "", "1.0.0", "foo.v2.0.0 foo.v3.0.0",
         WalkEnd::no_successor},
        {"in the requested channel", catalog(two, {"3.0.0", "1.0.0", "2.0.0"}) + channel("other", three),
         "stable", "1.0.0", "foo.v2.0.0", WalkEnd::no_successor},
        {"the only step is deprecated", catalog(two, versions) + deprecate("foo.v2.0.0"), "", "1.0.0", "",
         WalkEnd::held_back},
        {"the second step is deprecated", catalog(three, versions) + deprecate("foo.v3.0.0"), "", "1.0.0",
         "foo.v2.0.0", WalkEnd::held_back},
        {"the only step is to what is older", back + bundle("1.0.0") + bundle("2.0.0"), "", "2.0.0", "",
         WalkEnd::held_back},
        {"a dependency", back + bundle("1.0.0") + bundle("2.0.0", needs), "", "1.0.0", "foo.v2.0.0",
         WalkEnd::refused},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const Graph g = graph_of(c.yaml);
        const std::vector<const ChannelGraph*> channels =
            c.channel.empty() ? g.all() : std::vector<const ChannelGraph*>{&g.channel(c.channel)};
        const Walk walk = walk_v1(g.package(), channels, installed_as(c.from, g));
        std::string steps;
        for (const PathStep& step : walk.steps) steps += (steps.empty() ? "" : " ") + g.name(step.to);
        CHECK(steps == c.steps);
        CHECK(static_cast<int>(walk.end) == static_cast<int>(c.end));
    }
}

TEST_CASE("why the OLMs differ") {
    const std::vector<std::string_view> versions{"1.0.0", "2.0.0", "3.0.0"};
    const std::string both = "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n"
                             "- name: foo.v3.0.0\n  replaces: foo.v2.0.0\n  skips: [foo.v1.0.0]\n";
    const auto unreadable = [](std::string_view name) {
        return fmt::format(
            "---\nschema: olm.bundle\npackage: foo\nname: {0}\nimage: quay.io/{0}:1\nproperties:\n"
            "- type: olm.package\n  value: {{packageName: foo, version: latest}}\n",
            name);
    };
    const struct {
        std::string yaml;
        std::string_view from;
        std::string_view why;
    } cases[] = {
        {catalog(both, versions), "1.0.0", ""},
        {catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- name: foo.v3.0.0",
                 versions),
         "1.0.0", "OLM classic cannot order channel \"stable\": it has several heads"},
        {catalog("- name: foo.a\n  replaces: foo.b\n  skips: [foo.v1.0.0]\n- name: foo.b\n  replaces: "
                 "foo.v1.0.0\n",
                 {"1.0.0"}) +
             unreadable("foo.b") + unreadable("foo.a"),
         "1.0.0", "OLM v1 stays: the version of foo.b cannot be read"},
        {catalog("- name: foo.b\n  replaces: foo.v1.0.0\n", {}) + unreadable("foo.b"), "1.0.0",
         "OLM v1 stays: the version of foo.b cannot be read"},
        {catalog("- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- name: foo.v3.0.0\n  replaces: foo.v2.0.0\n"
                 "  skipRange: '2.0.0 || || 1.0.0'",
                 versions),
         "1.0.0", "OLM v1 crashes on the skipRange \"2.0.0 || || 1.0.0\" of foo.v3.0.0"},
        {catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0", versions) +
             deprecate("foo.v2.0.0"),
         "1.0.0", "OLM v1 stays: foo.v2.0.0 is deprecated and what is installed is not"},
        {catalog("- name: foo.v1.0.0\n  replaces: foo.v2.0.0", versions), "2.0.0",
         "OLM v1 stays: the highest version it could go to, foo.v1.0.0, is lower"},
        {catalog("- name: foo.v1.0.0\n", versions) +
             channel("fast", "- name: foo.v2.0.0\n  replaces: foo.v1.0.0"),
         "1.0.0",
         "the path to foo.v2.0.0 is in channel \"fast\", and a Subscription to \"stable\" sees only its own"},
        {catalog("- name: foo.v3.0.0\n  skips: [foo.v2.5.0]\n- name: foo.v2.0.0\n  skips: [foo.v2.0.0]\n"
                 "  skipRange: '>=0.9.0 <2.0.0'",
                 versions),
         "0.9.0",
         "foo.v2.0.0 is not on the replaces chain of the head, from which OLM classic chooses; OLM v1 "
         "ignores "
         "chains"},
        {catalog(
             "- name: foo.v3.0.0\n  skips: [foo.v2.0.0]\n- name: foo.v2.0.0\n  skipRange: '>=0.9.0 <2.0.0'",
             versions),
         "0.9.0",
         "foo.v2.0.0 is skipped by foo.v3.0.0 and so not on the replaces chain, from which OLM classic "
         "chooses; "
         "OLM v1 ignores chains"},
        {catalog("- name: foo.v2.0.0\n  replaces: foo.v3.0.0\n  skipRange: '<2.0.0'\n- name: foo.v3.0.0\n"
                 "  replaces: foo.v1.0.0\n- name: foo.v1.0.0\n",
                 versions),
         "1.0.0",
         "OLM classic takes the successor nearest to the head, foo.v2.0.0; OLM v1 the one with the highest "
         "version, "
         "foo.v3.0.0"},
        {catalog(both, versions) + deprecate("foo.v3.0.0"), "1.0.0",
         "foo.v3.0.0 is nearest to the head but deprecated: OLM v1 prefers what is not"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.yaml);
        const Graph g = graph_of(c.yaml);
        const Installed from = installed_as(c.from, g);
        CHECK(explain_difference(g.package(), classic_successors(g.package(), g.channel(), from),
                                 v1_successors(g.package(), g.all(), from), from) == c.why);
    }

    const Graph unread =
        graph_of(catalog("- name: foo.b\n  replaces: foo.v1.0.0\n", {}) + unreadable("foo.b"));
    CHECK(v1_successors(unread.package(), unread.all(), installed_as("1.0.0", unread)).unreadable);

    const Graph g =
        graph_of(catalog("- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- name: foo.v1.0.0", versions) +
                 channel("fast", "- name: foo.v3.0.0\n  replaces: foo.v2.0.0"));
    const std::vector<const ChannelGraph*> fast{&g.channel("fast")};
    const Installed from = installed_as("1.0.0", g);
    const V1Successors pinned = v1_successors(g.package(), fast, from);
    CHECK(pinned.next == no_node); // a channel that is asked for restricts edges, too
    CHECK(explain_difference(g.package(), classic_successors(g.package(), g.channel(), from), pinned, from) ==
          "OLM v1 looks at other channels than \"stable\"");
}

TEST_CASE("a version is found by name, exactly, or tolerantly") {
    const Graph g = graph_of(catalog("- name: foo.v1.0.0\n  replaces: foo.v0.9.0", {"1.0.0"}));
    CHECK(installed_as("foo.v1.0.0", g).node == g.node("foo.v1.0.0"));
    CHECK(installed_as("1.0.0", g).node == g.node("foo.v1.0.0"));
    CHECK(installed_as("v1.0", g).node == g.node("foo.v1.0.0"));
    CHECK(installed_as("0.9.0", g).node == g.node("foo.v0.9.0"));
    CHECK(installed_as("7.0.0", g).node == no_node);
    CHECK(installed_as("foo@1.0.0", g).node == g.node("foo.v1.0.0"));
    CHECK(installed_as("foo.v0.9.0@0.9.5", g).node == g.node("foo.v0.9.0"));
    CHECK(installed_as("foo.v0.9.0@0.9.5", g).version->to_legacy_string() == "0.9.5");
    CHECK(installed_as("foo.v0.1.0@0.1.0", g).node == no_node);
    CHECK_THROWS_AS(installed_as("bar", g), RequestError);
}
