#include "graph_builder.hpp"
#include "opcat/base/error.hpp"
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

TEST_CASE("why the OLMs differ") {
    SUBCASE("nearest to the head against highest") {
        const Graph g = graph_of(catalog("- name: foo.v2.0.0\n  replaces: foo.v3.0.0\n  skipRange: '<2.0.0'\n"
                                         "- name: foo.v3.0.0\n  replaces: foo.v1.0.0\n- name: foo.v1.0.0\n",
                                         {"1.0.0", "2.0.0", "3.0.0"}));
        const auto from = installed_as("foo.v1.0.0", g);
        CHECK(explain_difference(g.package(), classic_successors(g.package(), g.channel(), from),
                                 v1_successors(g.package(), g.all(), from), from) ==
              "OLM classic takes the successor nearest to the head, foo.v2.0.0; OLM v1 the one with the "
              "highest "
              "version, foo.v3.0.0");
    }
    SUBCASE("the path is in another channel") {
        const Graph g = graph_of(catalog("- name: foo.v1.0.0\n", {"1.0.0", "2.0.0"}) +
                                 channel("fast", "- name: foo.v2.0.0\n  replaces: foo.v1.0.0"));
        const auto from = installed_as("1.0.0", g);
        CHECK(explain_difference(g.package(), classic_successors(g.package(), g.channel(), from),
                                 v1_successors(g.package(), g.all(), from), from) ==
              "the path to foo.v2.0.0 is in channel \"fast\", and a Subscription "
              "to \"stable\" sees only its own");
        const std::vector<const ChannelGraph*> pinned{&g.channel()};
        CHECK(v1_successors(g.package(), pinned, from).next ==
              no_node); // pinned channels restrict edges, too
    }
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
