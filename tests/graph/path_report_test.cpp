#include "graph_builder.hpp"
#include "opcat/graph/path_report.hpp"

using namespace opcat;
using namespace opcat::test;

namespace {

PathReport ask(const Graph& g, std::string_view from, std::string_view to = {},
               std::optional<OlmGeneration> olm = {}) {
    return find_paths(
        {{&g.package(), g.all()}, installed_as(from, g), to.empty() ? no_node : g.node(to), olm});
}

} // namespace

TEST_CASE("a path says each step and why it exists") {
    const Graph g =
        graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n"
                         "- name: foo.v2.0.0\n  replaces: foo.v1.1.0\n  skipRange: '>=0.5.0 <1.0.0'",
                         {"1.0.0", "1.1.0", "2.0.0"}));
    const PathReport report = ask(g, "1.0.0");
    CHECK(report.arrives());
    CHECK(path_report_as_text(report, false) ==
          "foo: from foo.v1.0.0\n\n"
          "OLM classic, subscribed to channel stable (default): 2 steps\n"
          "  foo.v1.0.0\n"
          "  → foo.v1.1.0  replaces foo.v1.0.0  catalog.yaml:11:13\n"
          "  → foo.v2.0.0  replaces foo.v1.1.0  catalog.yaml:13:13\n"
          "  foo.v2.0.0 is the head of the channel\n\n"
          "OLM v1: 2 steps\n"
          "  foo.v1.0.0\n"
          "  → foo.v1.1.0  replaces foo.v1.0.0  catalog.yaml:11:13\n"
          "  → foo.v2.0.0  replaces foo.v1.1.0  catalog.yaml:13:13\n");
    const std::string bare =
        path_report_as_text(ask(g, "0.7.0", "foo.v2.0.0", OlmGeneration::classic), false);
    CHECK(bare.find("its skipRange \">=0.5.0 <1.0.0\" covers 0.7.0") != bare.npos);
    const std::string nothing_to_do = path_report_as_text(ask(g, "1.0.0", "foo.v1.0.0"), false);
    CHECK(nothing_to_do.find("stable (default): already there\n") != bare.npos);
    CHECK(nothing_to_do.find("OLM v1: already there\n") != bare.npos);
    CHECK(path_report_as_json(report).find("\"schema\": \"opcat.path.v1\"") != std::string::npos);
}

TEST_CASE("without an upgrade path, the reason and the nearest thing that works are reported") {
    const struct {
        std::string_view what;
        std::string entries;
        std::string_view from, to;
        std::string_view reason, alternative;
    } cases[] = {
        {"nothing leads away", "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.5.0", "foo.v1.0.0",
         "foo.v2.0.0",
         "no entry of channel \"stable\" replaces or skips foo.v1.0.0, or has a skipRange that covers it",
         "from foo.v1.5.0"},
        {"nothing leads there", "- name: foo.v1.0.0\n- name: foo.v2.0.0", "foo.v1.0.0", "foo.v2.0.0",
         "foo.v2.0.0 replaces and skips nothing in channel \"stable\", so nothing leads to it", ""},
        {"only what is older has a way", "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0",
         "foo.v1.5.0", "foo.v2.0.0",
         "no entry of channel \"stable\" replaces or skips foo.v1.5.0, or has a skipRange that covers it",
         "foo.v1.0.0, which is older, has a path to foo.v2.0.0"},
        {"newer than all", "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0", "9.9.9",
         "foo.v2.0.0", "foo.v2.0.0 is older than 9.9.9, and no edge leads back", ""},
        {"backwards",
         "- name: foo.v1.0.0\n  replaces: foo.v0.5.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- name: "
         "foo.v3.0.0\n  replaces: foo.v2.0.0",
         "foo.v2.0.0", "foo.v1.0.0", "foo.v1.0.0 is older than foo.v2.0.0, and no edge leads back",
         "foo.v2.0.0 is upgraded as far as foo.v3.0.0"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const Graph g = graph_of(catalog(c.entries, {"1.0.0", "1.5.0", "2.0.0", "3.0.0"}));
        const PathReport report = ask(g, c.from, c.to, OlmGeneration::v1);
        CHECK_FALSE(report.arrives());
        REQUIRE(report.v1->no_path);
        CHECK(report.v1->no_path->reason == c.reason);
        std::string all;
        for (const std::string& alternative : report.v1->no_path->alternatives) all += alternative + "\n";
        CHECK(all.find(c.alternative) != all.npos);
    }
}

TEST_CASE("a version that both OLMs skip can be requested from OLM v1") {
    const Graph g = graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n"
                                     "- name: foo.v2.0.0\n  replaces: foo.v1.1.0\n  skips: [foo.v1.0.0]",
                                     {"1.0.0", "1.1.0", "2.0.0"}));
    const PathReport report = ask(g, "1.0.0", "foo.v1.1.0");
    CHECK_FALSE(report.arrives());
    const std::vector<std::string> pinned{
        "OLM v1 goes there if the ClusterExtension asks for version \"1.1.0\""};
    CHECK(report.v1->no_path->reason ==
          "foo.v1.0.0 is upgraded to foo.v2.0.0, the highest version that edges "
          "lead to, from where no edge leads back to foo.v1.1.0");
    CHECK(report.v1->no_path->alternatives == pinned);
    CHECK(report.classic.front().no_path->reason == "foo.v1.0.0 is upgraded to foo.v2.0.0, the successor "
                                                    "nearest to the head, from where no edge leads back "
                                                    "to foo.v1.1.0");
    CHECK(report.classic.front().no_path->alternatives == pinned);
    CHECK(path_report_as_text(report, false)
              .ends_with("\nShortest path that edges allow, each step pinned by its version, subscribed to "
                         "channel stable: 1 step\n"
                         "  foo.v1.0.0\n"
                         "  → foo.v1.1.0  replaces foo.v1.0.0  catalog.yaml:11:13\n"));
}

TEST_CASE("a path through several channels says where OLM classic has to switch, as seldom as possible") {
    const std::string_view first = "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0";
    const std::string third = "- name: foo.v1.1.0\n- name: foo.v1.2.0\n  replaces: foo.v1.1.0";
    const Graph g = graph_of(catalog(first, {"1.0.0", "1.1.0", "1.2.0", "1.3.0"}) + channel("b", third) +
                             channel("c", third + "\n- name: foo.v1.3.0\n  replaces: foo.v1.2.0"));
    const std::string text =
        path_report_as_text(ask(g, "1.0.0", "foo.v1.3.0", OlmGeneration::classic), false);
    CHECK(text.find("pinned by its version, subscribed to channel stable: 3 steps\n") != text.npos);
    const size_t end_of_first = text.rfind("foo.v1.1.0  replaces");
    CHECK(text.find("    switch to channel c\n  → foo.v1.2.0", end_of_first) != text.npos);
    CHECK(text.find("switch to") == text.rfind("switch to"));
    CHECK(path_report_as_text(ask(g, "1.0.0", "foo.v1.3.0", OlmGeneration::v1), false).find("switch to") ==
          text.npos);
}

TEST_CASE(
    "a channel that OLM classic cannot order has no upgrades there, and OLM v1 stops below the newest head") {
    const Graph g =
        graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v2.0.0",
                         {"1.0.0", "1.1.0", "2.0.0"}));
    const PathReport report = ask(g, "1.0.0");
    CHECK(report.classic.front().no_path->reason ==
          "OLM classic cannot order channel \"stable\": it has several heads");
    CHECK_FALSE(report.classic.front().arrives);
    CHECK_FALSE(report.v1->arrives);
    CHECK(report.v1->no_path->reason ==
          "channel \"stable\" has several heads, and no edge leads on to foo.v2.0.0");
    CHECK(ask(g, "2.0.0").v1->arrives);
}

TEST_CASE("another channel with an upgrade path is suggested") {
    const Graph g =
        graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0",
                         {"1.0.0", "1.1.0", "2.0.0"}) +
                 channel("fast", "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0"));
    const NoPath none = explain_no_path(g.package(), {{&g.channel("stable")}, true}, installed_as("1.0.0", g),
                                        g.node("foo.v2.0.0"));
    CHECK(none.reason == "foo.v2.0.0 is not an entry of channel \"stable\"");
    REQUIRE_FALSE(none.alternatives.empty());
    CHECK(none.alternatives.front() == "channel \"fast\" leads from foo.v1.0.0 to foo.v2.0.0");
}

TEST_CASE("OLM v1 refuses a step with dependencies, and a cycle is reported") {
    Graph g =
        graph_of("schema: olm.package\nname: foo\ndefaultChannel: stable\n" +
                 channel("stable", "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0") +
                 bundle("1.0.0") +
                 bundle("2.0.0", "- type: olm.gvk.required\n  value: {group: g, version: v1, kind: K}\n"));
    CHECK(ask(g, "1.0.0").v1->walk.end == WalkEnd::refused);
    CHECK(has(path_report_as_json(ask(g, "1.0.0", {}, OlmGeneration::v1)), "\"end\": \"refused\""));
    CHECK(ask(g, "1.0.0").classic.front().arrives);

    g = graph_of(
        catalog("- name: foo.v1.0.0\n  skipRange: '>=2.0.0'\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0",
                {"1.0.0", "2.0.0"}));
    const PathReport circle = ask(g, "1.0.0", {}, OlmGeneration::classic);
    CHECK(circle.classic.front().walk.end == WalkEnd::loop);
    CHECK(path_report_as_text(circle, false).find("forever") != std::string::npos);
    CHECK(has(path_report_as_text(circle, true),
              "  \x1b[1;31mand so on forever: it was at foo.v1.0.0 before\x1b[0m\n"));
    CHECK(has(path_report_as_json(circle), "\"end\": \"loop\""));
}

TEST_CASE("the reasons of all steps begin in one column") {
    const Graph g = graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0-long\n  replaces: foo.v1.0.0\n"
                                     "- name: foo.v2.0.0\n  replaces: foo.v1.1.0-long",
                                     {"1.0.0", "1.1.0-long", "2.0.0"}));
    CHECK(has(path_report_as_text(ask(g, "1.0.0"), false),
              "  → foo.v1.1.0-long  replaces foo.v1.0.0  catalog.yaml:11:13\n"
              "  → foo.v2.0.0       replaces foo.v1.1.0-long  catalog.yaml:13:13\n"));
}

TEST_CASE("channels with the same answer share it") {
    const std::string entries = "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n";
    std::string yaml = catalog(entries, {"1.0.0", "1.1.0", "2.0.0"});
    for (const char* name : {"fast", "slow"}) yaml += channel(name, entries);
    for (const char* name : {"next", "edge"})
        yaml += channel(name, entries + "- name: foo.v2.0.0\n  replaces: foo.v1.1.0");
    const Graph g = graph_of(yaml);
    const std::string open = path_report_as_text(ask(g, "1.0.0"), false);
    CHECK(open.find("OLM classic, subscribed to channel stable (default), fast or slow: 1 step\n") !=
          open.npos);
    CHECK(open.find("OLM classic, subscribed to channel edge or next: 2 steps\n") != open.npos);
    const std::string to = path_report_as_text(find_paths({{&g.package(), g.all()},
                                                           installed_as("1.0.0", g),
                                                           g.node("foo.v2.0.0"),
                                                           OlmGeneration::classic}),
                                               false);
    CHECK(to.find("subscribed to channel edge or next: 2 steps\n") != to.npos);
    CHECK(to.find("foo.v2.0.0 is not an entry of") == to.rfind("foo.v2.0.0 is not an entry of"));
    // These paths were not requested, but show that one exists.
    const std::string none =
        explain_no_path(g.package(), {{&g.channel()}, true}, installed_as("1.0.0", g), g.node("foo.v2.0.0"))
            .alternatives.at(0);
    CHECK(none == "channels \"edge\" and \"next\" lead from foo.v1.0.0 to foo.v2.0.0 in 2 steps");
}

TEST_CASE("channels without the target are reported once") {
    std::string yaml = catalog("- name: foo.v2.0.0", {"1.0.0", "1.0.1", "1.0.2", "2.0.0"});
    for (const char* patch : {"1.0.1", "1.0.2"})
        yaml += channel(patch, std::string("- name: foo.v") + patch + "\n  skipRange: '<" + patch + "'");
    const Graph g = graph_of(yaml);
    CHECK(path_report_as_text(ask(g, "0.1.0", "foo.v2.0.0", OlmGeneration::classic), false)
              .find("OLM classic, subscribed to channel 1.0.1 or 1.0.2: no path\n"
                    "  no path: foo.v2.0.0 is not an entry of any of these channels\n") != std::string::npos);
}

TEST_CASE("what other channels offer instead is reported once") {
    std::string yaml =
        catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0", {"1.0.0", "2.0.0"});
    for (const char* name : {"old", "older"}) yaml += channel(name, "- name: foo.v1.0.0");
    const Graph g = graph_of(yaml);
    const PathReport report = find_paths({{&g.package(), {&g.channel("old"), &g.channel("older")}},
                                          installed_as("1.0.0", g),
                                          g.node("foo.v2.0.0"),
                                          OlmGeneration::classic});
    CHECK(has(path_report_as_text(report, false),
              "OLM classic, subscribed to channel old or older: no path\n"
              "  no path: foo.v2.0.0 is not an entry of any of these channels\n"
              "  but: channel \"stable\" leads from foo.v1.0.0 to foo.v2.0.0\n"));
}

TEST_CASE("deprecations are next to the versions, and hold OLM v1 back") {
    const Graph g = graph_of(
        catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n", {"1.0.0", "2.0.0"}) +
        "---\nschema: olm.deprecations\npackage: foo\nentries:\n"
        "- reference: {schema: olm.bundle, name: foo.v2.0.0}\n  message: |\n    loses\n    data\n");
    const PathReport report = ask(g, "1.0.0");
    const std::string text = path_report_as_text(report, false);
    CHECK(
        has(text, "  → foo.v2.0.0  replaces foo.v1.0.0  catalog.yaml:11:13\n      deprecated: loses data\n"));
    CHECK(has(text, "OLM v1: no upgrade\n"
                    "  it stays at foo.v1.0.0: OLM v1 prefers it to everything that edges lead to\n"));
    CHECK(has(path_report_as_json(report), "\"end\": \"heldBack\""));
    CHECK(has(path_report_as_text(ask(g, "2.0.0"), false),
              "foo: from foo.v2.0.0\n  (deprecated: loses data)\n"));
}

TEST_CASE("bundles of one version, of which OLM v1 may install any, are reported") {
    const Graph g =
        graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n"
                         "- name: foo.again\n  replaces: foo.v1.0.0",
                         {"1.0.0", "2.0.0"}) +
                 "---\nschema: olm.bundle\npackage: foo\nname: foo.again\nimage: quay.io/foo/foo:again\n"
                 "properties:\n- type: olm.package\n  value: {packageName: foo, version: 2.0.0}\n");
    const PathReport report = ask(g, "1.0.0", {}, OlmGeneration::v1);
    CHECK(has(path_report_as_text(report, false),
              "\n  several bundles have the version of the first step: OLM may install any of them\n"));
    CHECK(has(path_report_as_json(report), "\"ambiguous\": true"));
}

TEST_CASE("OLM v1's step to another bundle of the installed version needs no edge, and is explained") {
    const Graph g =
        graph_of(catalog("- name: foo.v1.0.0\n- name: foo.again\n  replaces: foo.v1.0.0", {"1.0.0"}) +
                 "---\nschema: olm.bundle\npackage: foo\nname: foo.again\nimage: quay.io/foo/foo:again\n"
                 "properties:\n- type: olm.package\n  value: {packageName: foo, version: 1.0.0}\n");
    const std::string text = path_report_as_text(ask(g, "foo.again"), false);
    CHECK(has(text, "OLM v1 differs: no edge leads to foo.v1.0.0: it has the version that is installed"));
}

TEST_CASE("a path is followed for as many steps as asked, and then nothing is said of its end") {
    const Graph g = graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n"
                                     "- name: foo.v2.0.0\n  replaces: foo.v1.1.0",
                                     {"1.0.0", "1.1.0", "2.0.0"}));
    const auto of = [&](size_t most) {
        return path_report_as_text(
            find_paths({{&g.package(), g.all()}, installed_as("1.0.0", g), no_node, std::nullopt, most}),
            false);
    };
    CHECK(has(of(1), "stable (default): 1 step and more\n"));
    CHECK(has(of(1), "OLM v1: 1 step and more\n"));
    CHECK_FALSE(has(of(1), "foo.v2.0.0"));
    CHECK(has(of(2), "foo.v2.0.0 is the head of the channel\n"));
}

TEST_CASE(
    "a channel that leads on from a version that is in none is found, also when all steps are known before") {
    const Graph g = graph_of(catalog("- name: foo.v1.0.0", {"0.9.0", "1.0.0", "2.0.0"}) +
                             channel("fast", "- {name: foo.v2.0.0, skipRange: '<1.0.0'}"));
    uint64_t places = 1000;
    const auto known = KnownSteps::of(g.package(), places);
    REQUIRE(known);
    for (const KnownSteps* const steps : {static_cast<const KnownSteps*>(nullptr), &*known}) {
        const PathReport report = find_paths({{&g.package(), g.all()},
                                              installed_as("foo.v0.9.0", g),
                                              no_node,
                                              OlmGeneration::classic,
                                              all_steps,
                                              steps});
        REQUIRE(report.classic.size() == 1);
        CHECK(report.classic.front().channel->name == "fast");
        CHECK(report.arrives());
    }
}

TEST_CASE(
    "the shortest path leads through channels that the asked OLM can use, and has a channel for each step") {
    // OLM classic cannot order a channel of two heads.
    const Graph g = graph_of(
        catalog("- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n- {name: foo.v2.0.0, "
                "replaces: foo.v1.1.0}",
                {"1.0.0", "1.1.0", "2.0.0", "3.0.0"}) +
        channel("b", "- name: foo.v1.0.0\n- {name: foo.v2.0.0, replaces: foo.v1.0.0}\n- name: foo.v3.0.0"));
    const auto steps = [&](OlmGeneration olm) { return ask(g, "1.0.0", "foo.v2.0.0", olm).shortest.value(); };
    CHECK(steps(OlmGeneration::classic).size() == 2);
    CHECK(steps(OlmGeneration::v1).size() == 1);
    const std::vector<const ChannelGraph*> stable(2, &g.channel());
    CHECK(channels_of(steps(OlmGeneration::classic)) == stable);
}
