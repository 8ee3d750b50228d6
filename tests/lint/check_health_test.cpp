#include "../graph/graph_builder.hpp"
#include "opcat/lint/checks.hpp"

#include <fmt/format.h>

using namespace opcat;

TEST_CASE("findings about the upgrade paths of installed versions") {
    const struct {
        std::string_view what;
        std::string yaml;
        std::vector<std::string_view> rules;
    } cases[] = {
        {"a head lacks an API that the version before it has",
         test::catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0", {"1.1.0"}) +
             test::bundle("1.0.0",
                          "- type: olm.gvk\n  value: {group: example.com, kind: Foo, version: v1}\n"),
         {"graph-api-removed"}},
        {"an API that is gone on the way to the head is the past",
         test::catalog(
             "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.2.0\n  "
             "replaces: foo.v1.1.0",
             {"1.1.0", "1.2.0"}) +
             test::bundle("1.0.0",
                          "- type: olm.gvk\n  value: {group: example.com, kind: Foo, version: v1}\n"),
         {}},
        {"a range leaves out its own entry and what comes after it",
         test::catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skipRange: '>=1.0.0 <2.0.0 !1.1.0 !1.2.0'\n"
                       "- name: foo.v1.2.0\n- name: foo.v1.3.0\n  skips: [foo.v1.1.0]",
                       {"1.0.0", "1.1.0", "1.2.0", "1.3.0"}),
         {"graph-skip-range-gap", "graph-unreachable"}},
        {"a chain is healthy",
         test::catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0", {"1.0.0", "1.1.0"}),
         {}},
        {"a skipped entry is left by what skips it",
         test::catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n"
                       "- name: foo.v1.2.0\n  replaces: foo.v1.0.0\n  skips: [foo.v1.1.0]",
                       {"1.0.0", "1.1.0", "1.2.0"}),
         {}},
        {"a skipped entry whose successor is skipped, too, has no way",
         test::catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skips: [foo.v1.0.0]\n- name: foo.v1.2.0\n  "
                       "skips: [foo.v1.1.0]",
                       {"1.0.0", "1.1.0", "1.2.0"}),
         {"graph-no-way"}},
        {"a version that has left the catalog and that only a skipped entry replaces has no way",
         test::catalog(
             "- name: foo.v1.0.0\n  replaces: foo.v0.9.0\n- name: foo.v1.1.0\n  skips: [foo.v1.0.0, "
             "foo.v0.8.0]",
             {"1.0.0", "1.1.0"}),
         {"graph-no-way"}},
        {"a circle behind a skipped entry, which opm takes",
         test::catalog(
             "- name: foo.v1.0.0\n  replaces: foo.v1.1.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n"
             "- name: foo.v1.2.0\n  replaces: foo.v1.0.0\n  skips: [foo.v1.1.0]",
             {"1.0.0", "1.1.0", "1.2.0"}),
         {"graph-circle"}},
        {"an older entry covers a newer one",
         test::catalog(
             "- name: foo.v1.0.0\n  skipRange: '>=1.1.0'\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0",
             {"1.0.0", "1.1.0"}),
         {"graph-loop"}},
        {"a range leaves out what is in the middle",
         test::catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n- name: foo.v1.2.0\n"
                       "- name: foo.v2.0.0\n  skipRange: '>=1.0.0 <2.0.0 !1.1.0'",
                       {"1.0.0", "1.1.0", "1.2.0", "2.0.0"}),
         {"graph-unreachable", "graph-skip-range-gap"}},
        {"two bundles of one version",
         test::catalog(
             "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0+x\n  "
             "replaces: foo.v1.0.0",
             {"1.0.0", "1.1.0"}) +
             "---\nschema: olm.bundle\npackage: foo\nname: foo.v1.1.0+x\nimage: i\nproperties:\n- type: "
             "olm.package\n"
             "  value: {packageName: foo, version: 1.1.0}\n",
         {"graph-ambiguous"}},
        {"two bundles of one version, and nothing else",
         test::catalog(
             "- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0+x\n  replaces: foo.v1.0.0",
             {"1.1.0"}) +
             "---\nschema: olm.bundle\npackage: foo\nname: foo.v1.1.0+x\nimage: i\nproperties:\n- type: "
             "olm.package\n  value: {packageName: foo, version: 1.1.0}\n",
         {"graph-ambiguous"}},
        {"a channel that cannot be left for the default one",
         test::catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0",
                       {"1.0.0", "1.5.0", "2.0.0"}) +
             test::channel("fast", "- name: foo.v1.5.0"),
         {"graph-minor-step", "graph-channel-switch"}},
        {"a channel that leads on from the minor version before",
         test::catalog("- name: foo.v1.0.0", {"1.0.0", "1.1.0"}) +
             test::channel("alpha", "- name: foo.v1.1.0\n  skipRange: '>=1.0.0 <1.1.0'"),
         {}},
        {"a channel that does not lead on from the minor version before",
         test::catalog("- name: foo.v1.0.0", {"1.0.0", "1.1.0"}) +
             test::channel("alpha", "- name: foo.v1.1.0"),
         {"graph-minor-step"}},
        {"another channel is newer than the default one",
         test::catalog("- name: foo.v1.0.0", {"1.0.0", "2.0.0"}) + test::channel("v2", "- name: foo.v2.0.0"),
         {"default-channel-old"}},
        {"a channel that is ahead of the default one",
         test::catalog("- name: foo.v1.0.0", {"1.0.0", "2.0.0"}) +
             test::channel("fast", "- name: foo.v2.0.0"),
         {}},
        {"an entry off the chain covers what is newer: neither OLM goes back to it",
         test::catalog(
             "- name: foo.v2.0.0\n  skips: [foo.v1.0.0]\n- name: foo.v1.0.0\n  skipRange: '>=2.0.0'",
             {"1.0.0", "2.0.0"}),
         {}},
        {"nothing leads to an entry in the middle, which is stranded besides",
         test::catalog(
             "- name: foo.v1.0.0\n- name: foo.v1.5.0\n- name: foo.v2.0.0\n  replaces: foo.v1.5.0\n  skips: "
             "[foo.v1.0.0]",
             {"1.0.0", "1.5.0", "2.0.0"}),
         {"graph-unreachable"}},
        {"a range that leaves out what another edge leads on",
         test::catalog(
             "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.2.0\n  "
             "replaces: "
             "foo.v1.1.0\n- name: foo.v2.0.0\n  replaces: foo.v1.2.0\n  skipRange: '>=1.0.0 <2.0.0 !1.1.0'",
             {"1.0.0", "1.1.0", "1.2.0", "2.0.0"}),
         {}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const test::Graph g = test::graph_of(c.yaml);
        std::vector<std::string_view> rules;
        for (const Diagnostic& finding : check_health(select(g.graph, "", ""))) rules.push_back(finding.rule);
        CHECK(fmt::format("{}", fmt::join(rules, " ")) == fmt::format("{}", fmt::join(c.rules, " ")));
    }
}
