// lib/olm/no_path.cpp: why there is no path, and all alternatives.
#include "graph_builder.hpp"
#include "opcat/olm/paths.hpp"

#include <fmt/format.h>

using namespace opcat;
using namespace opcat::test;

namespace {

using Lines = std::vector<std::string>;

std::string deprecated_bundle(std::string_view name) {
    return fmt::format(
        "---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {{schema: olm.bundle, "
        "name: {}}}\n  message: no more\n",
        name);
}

// A chain of 1.0.0 to 1.N.0, whose last version is deprecated, so that OLM v1 does not go there by itself.
std::string chain_to_deprecated(int last) {
    std::string entries = "- name: foo.v1.0.0";
    std::string bundles = bundle("1.0.0");
    for (int minor = 1; minor <= last; ++minor) {
        entries += fmt::format("\n- name: foo.v1.{}.0\n  replaces: foo.v1.{}.0", minor, minor - 1);
        bundles += bundle(fmt::format("1.{}.0", minor));
    }
    return catalog(entries, {}) + bundles + deprecated_bundle(fmt::format("foo.v1.{}.0", last));
}

} // namespace

TEST_CASE("without a path: each reason, and all alternatives") {
    const std::vector<std::string_view> versions{"0.8.0", "0.9.0", "1.0.0", "1.5.0", "2.0.0", "3.0.0"};
    const std::string skipped = catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n"
                                        "- name: foo.v3.0.0\n  replaces: foo.v1.0.0\n  skips: [foo.v2.0.0]",
                                        versions);
    const std::string by_skipped =
        catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n"
                "- name: foo.v3.0.0\n  replaces: foo.v0.9.0\n  skips: [foo.v2.0.0]",
                versions);
    const std::string lower_head = "- name: foo.v2.0.0\n  replaces: foo.v3.0.0\n  skipRange: '<2.0.0'\n"
                                   "- name: foo.v3.0.0\n  replaces: foo.v2.5.0";
    const struct {
        std::string_view what;
        std::string yaml;
        std::string_view channel; // empty: all
        bool chains_only;
        std::string_view from, to;
        std::string_view reason;
        Lines alternatives;
    } cases[] = {
        {"only a later channel has the target, and an edge to it",
         catalog("- name: foo.v2.0.0\n  replaces: foo.v1.5.0", versions) +
             channel("alpha", "- name: foo.v1.0.0"),
         "",
         false,
         "1.0.0",
         "foo.v2.0.0",
         "no entry of any channel replaces or skips foo.v1.0.0, or has a skipRange that covers it",
         {"there is a path from foo.v1.5.0 to foo.v2.0.0: install it in place of foo.v1.0.0 (OLM v1: "
          "upgradeConstraintPolicy SelfCertified)"}},
        {"the nearest of several older versions; an edge from a version without a bundle is not offered",
         catalog("- name: foo.v2.0.0\n  replaces: foo.v0.8.0\n  skips: [foo.v0.9.0, foo.v1.7.0]", versions),
         "",
         false,
         "1.0.0",
         "foo.v2.0.0",
         "no entry of channel \"stable\" replaces or skips foo.v1.0.0, or has a skipRange that covers it",
         {"foo.v0.9.0, which is older, has a path to foo.v2.0.0; OLM v1 goes back to it, or straight on, "
          "only with "
          "upgradeConstraintPolicy SelfCertified"}},
        {"the nearest of several newer versions",
         catalog("- name: foo.v3.0.0\n  replaces: foo.v2.0.0\n  skips: [foo.v1.5.0, foo.v0.9.0]", versions),
         "",
         false,
         "1.0.0",
         "foo.v3.0.0",
         "no entry of channel \"stable\" replaces or skips foo.v1.0.0, or has a skipRange that covers it",
         {"there is a path from foo.v1.5.0 to foo.v3.0.0: install it in place of foo.v1.0.0 (OLM v1: "
          "upgradeConstraintPolicy SelfCertified)"}},
        {"a skip is an edge, too, and so is a skipRange",
         catalog("- name: foo.v2.0.0\n  skips: [foo.v1.5.0]", versions),
         "stable",
         true,
         "1.0.0",
         "foo.v2.0.0",
         "no entry of channel \"stable\" replaces or skips foo.v1.0.0, or has a skipRange that covers it",
         {"there is a path from foo.v1.5.0 to foo.v2.0.0: install it in place of foo.v1.0.0 (OLM v1: "
          "upgradeConstraintPolicy SelfCertified)"}},
        {"another bundle of the installed version counts as newer",
         catalog("- name: foo.v2.0.0\n  replaces: foo.v1.5.0", versions),
         "stable",
         true,
         "foo.v0.1.0@1.5.0",
         "foo.v2.0.0",
         "no entry of channel \"stable\" replaces or skips 1.5.0, or has a skipRange that covers it",
         {"there is a path from foo.v1.5.0 to foo.v2.0.0: install it in place of 1.5.0 (OLM v1: "
          "upgradeConstraintPolicy SelfCertified)"}},
        {"what has the installed version is not older",
         catalog("- name: foo.v1.5.0\n  replaces: foo.v0.9.0", versions),
         "stable",
         true,
         "foo.v0.1.0@1.5.0",
         "foo.v1.5.0",
         "no entry of channel \"stable\" replaces or skips 1.5.0, or has a skipRange that covers it",
         {"foo.v0.9.0, which is older, has a path to foo.v1.5.0; OLM v1 goes back to it, or straight on, "
          "only with upgradeConstraintPolicy SelfCertified"}},
        {"no edge leads to the target",
         catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0", versions),
         "",
         false,
         "1.0.0",
         "foo.v2.0.0",
         "foo.v2.0.0 replaces and skips nothing in channel \"stable\", so nothing leads to it",
         {}},
        {"only edges name the target",
         catalog("- name: foo.v2.0.0\n  replaces: foo.v1.9.0", versions),
         "",
         false,
         "1.0.0",
         "foo.v1.9.0",
         "foo.v1.9.0 is in no catalog: only edges name it",
         {}},
        {"what is older has no path from what is newer",
         skipped,
         "",
         false,
         "3.0.0",
         "foo.v1.0.0",
         "foo.v1.0.0 replaces and skips nothing in channel \"stable\", so nothing leads to it",
         {}},
        {"OLM classic does not choose what is skipped",
         skipped,
         "stable",
         true,
         "1.0.0",
         "foo.v2.0.0",
         "foo.v2.0.0 is not on the replaces chain of channel \"stable\", from which OLM classic chooses",
         {"OLM v1 goes there if the ClusterExtension asks for version \"2.0.0\"",
          "foo.v1.0.0 is upgraded as far as foo.v3.0.0"}},
        {"OLM v1 goes past what is skipped",
         skipped,
         "",
         false,
         "1.0.0",
         "foo.v2.0.0",
         "foo.v1.0.0 is upgraded to foo.v3.0.0, the highest version that edges lead to, from where no edge "
         "leads back "
         "to foo.v2.0.0",
         {"OLM v1 goes there if the ClusterExtension asks for version \"2.0.0\""}},
        {"the only step is to what is skipped",
         by_skipped,
         "stable",
         true,
         "1.0.0",
         "foo.v3.0.0",
         "foo.v1.0.0 leads only to foo.v2.0.0, which is not on the replaces chain of the head, from which "
         "OLM classic chooses",
         {"OLM v1 goes there if the ClusterExtension asks for version \"2.0.0\", then \"3.0.0\"",
          "there is a path from foo.v2.0.0 to foo.v3.0.0: install it in place of foo.v1.0.0 (OLM v1: "
          "upgradeConstraintPolicy SelfCertified)"}},
        {"steps that go elsewhere",
         catalog(lower_head, {"1.0.0", "2.0.0", "2.5.0", "3.0.0"}),
         "stable",
         true,
         "1.0.0",
         "foo.v3.0.0",
         "the upgrade paths from foo.v1.0.0 do not reach foo.v3.0.0",
         {"foo.v1.0.0 is upgraded as far as foo.v2.0.0",
          "there is a path from foo.v2.5.0 to foo.v3.0.0: install it in place of foo.v1.0.0 (OLM v1: "
          "upgradeConstraintPolicy SelfCertified)"}},
        {"an installed version that has no valid number has no neighbours",
         catalog(lower_head, {"2.0.0", "2.5.0", "3.0.0"}) + channel("old", "- name: foo.old"),
         "stable",
         true,
         "foo.old",
         "foo.v3.0.0",
         "no entry of channel \"stable\" replaces or skips foo.old, or has a skipRange that covers it",
         {}},
        {"upgrades in a cycle have no farthest version",
         catalog("- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- name: foo.v1.0.0\n  replaces: foo.v3.0.0\n  "
                 "skipRange: "
                 "'>=2.0.0 <2.1.0'\n- name: foo.v3.0.0\n  replaces: foo.v2.9.0",
                 versions),
         "stable",
         true,
         "1.0.0",
         "foo.v3.0.0",
         "the upgrade paths from foo.v1.0.0 do not reach foo.v3.0.0",
         {}},
        {"OLM v1 stays before a deprecated version",
         chain_to_deprecated(1),
         "",
         false,
         "1.0.0",
         "foo.v1.1.0",
         "foo.v1.0.0 is not upgraded, though edges lead on to foo.v1.1.0",
         {"OLM v1 goes there if the ClusterExtension asks for version \"1.1.0\""}},
        {"five versions to ask for",
         chain_to_deprecated(5),
         "",
         false,
         "1.0.0",
         "foo.v1.5.0",
         "foo.v1.4.0 is not upgraded, though edges lead on to foo.v1.5.0",
         {"OLM v1 goes there if the ClusterExtension asks for version \"1.1.0\", then \"1.2.0\", then "
          "\"1.3.0\", then "
          "\"1.4.0\", then \"1.5.0\""}},
        {"more than five versions to ask for",
         chain_to_deprecated(6),
         "",
         false,
         "1.0.0",
         "foo.v1.6.0",
         "foo.v1.5.0 is not upgraded, though edges lead on to foo.v1.6.0",
         {"OLM v1 goes there if the ClusterExtension asks for version \"1.1.0\", then \"1.2.0\", then "
          "\"1.3.0\", then "
          "\"1.4.0\", then \"1.5.0\", and so on in 6 steps"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const Graph g = graph_of(c.yaml);
        const std::vector<const ChannelGraph*> channels =
            c.channel.empty() ? g.all() : std::vector<const ChannelGraph*>{&g.channel(c.channel)};
        const NoPath none =
            explain_no_path(g.package(), {channels, c.chains_only}, installed_as(c.from, g), g.node(c.to));
        CHECK(none.reason == c.reason);
        CHECK(fmt::format("{}", fmt::join(none.alternatives, "\n")) ==
              fmt::format("{}", fmt::join(c.alternatives, "\n")));
    }
}

TEST_CASE(
    "other channels as alternatives: those with the target first, grouped by their goal, and not too many") {
    const std::string to_target = "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0";
    std::string yaml = catalog("- name: foo.v1.0.0", {"1.0.0", "1.5.0", "1.7.0", "2.0.0"});
    yaml += channel("a-elsewhere", "- name: foo.v1.0.0\n- name: foo.v1.7.0\n  replaces: foo.v1.0.0");
    yaml += channel("b-elsewhere", "- name: foo.v1.0.0\n- name: foo.v1.5.0\n  replaces: foo.v1.0.0");
    yaml += channel("c-from", "- name: foo.v1.0.0");
    yaml += channel("d-heads", to_target + "\n- name: foo.v1.5.0");
    yaml += channel("d-no-path", "- name: foo.v2.0.0\n  replaces: foo.v1.7.0");
    for (const char* name : {"e", "f", "g"}) yaml += channel(name, to_target);
    yaml += channel("h-longer", "- name: foo.v1.0.0\n- name: foo.v1.5.0\n  replaces: foo.v1.0.0\n- name: "
                                "foo.v2.0.0\n  replaces: foo.v1.5.0");
    Lines expected{"channels \"e\", \"f\" and \"g\" lead from foo.v1.0.0 to foo.v2.0.0",
                   "channel \"h-longer\" leads from foo.v1.0.0 to foo.v2.0.0 in 2 steps",
                   "channel \"a-elsewhere\" leads from foo.v1.0.0 to foo.v1.7.0"};
    const auto offered = [](const Graph& g) {
        return explain_no_path(g.package(), {{&g.channel()}, true}, installed_as("1.0.0", g),
                               g.node("foo.v2.0.0"))
            .alternatives;
    };
    CHECK(offered(graph_of(yaml)) == expected);

    // Of many channels twelve are looked at.
    std::string names;
    for (int i = 10; i < 30; ++i) {
        yaml += channel(fmt::format("x{}", i), to_target);
        if (i < 18) names += fmt::format("{}\"x{}\"", i < 17 ? ", " : " and ", i);
    }
    expected = {"channels \"e\", \"f\", \"g\"" + names + " lead from foo.v1.0.0 to foo.v2.0.0", expected[1]};
    CHECK(offered(graph_of(yaml)) == expected);
}
