// lib/resolve/v1/explanation.cpp, word for word: notes on catalogs, the order of bundles, and each kind of
// reason.
#include "catalogs.hpp"
#include "opcat/resolve/v1/explanation.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

// A line for each catalog and bundle: "c: note", "+ p.v2.0.0" for a candidate and "- p.v1.0.0" for others,
// with the reasons.
std::string explained(const Request& request, const Cluster& cluster) {
    const Resolution resolution = resolve(request, cluster.catalogs);
    std::string text;
    for (const CatalogExplanation& explanation : explain(request, resolution)) {
        text += fmt::format("{}: {}\n", explanation.answer->catalog->name, explanation.note);
        for (const BundleVerdict& verdict : explanation.bundles) {
            text += fmt::format("{} {}", verdict.is_candidate ? '+' : '-', verdict.bundle->name());
            for (const Reason& reason : verdict.reasons) text += fmt::format("; {}", reason.text);
            text += '\n';
        }
    }
    return text;
}

std::string named_bundle(std::string_view name, std::string_view version) {
    return fmt::format("---\nschema: olm.bundle\npackage: p\nname: {0}\nimage: quay.io/{0}\n"
                       "properties:\n- type: olm.package\n  value: {{packageName: p, version: \"{1}\"}}\n",
                       name, version);
}

const std::string one_to_three =
    bundle_yaml("p", "1.0.0") + bundle_yaml("p", "2.0.0") + bundle_yaml("p", "3.0.0");

} // namespace

TEST_CASE("of one catalog: reasons and order, word for word") {
    const InstalledBundle installed{"p.v1.0.0", "1.0.0", {}};
    const std::string dependency = "- type: olm.gvk.required\n  value: {group: g, kind: K, version: v1}\n";
    std::string many_skips;
    for (int i = 1; i <= 7; ++i) many_skips += fmt::format("p.v0.{}.0, ", i);
    const struct {
        std::string_view what;
        std::string yaml;
        Request request;
        std::string_view text;
    } cases[] = {
        {"outside of the channel, the highest version first",
         channel_yaml("p", "a", "{name: p.v2.0.0}, {name: p.v2.0.0}") +
             channel_yaml("p", "b", "{name: p.v2.0.0}, {name: p.v3.0.0}") + bundle_yaml("p", "1.0.0") +
             named_bundle("p.bad", "latest") + bundle_yaml("p", "3.0.0") + named_bundle("p.worse", "newest") +
             named_bundle("p.again", "3.0.0") + bundle_yaml("p", "2.0.0"),
         {.package = "p", .channels = {"x", "y"}},
         "c: \n"
         "- p.v3.0.0; not in channel x or y: it is in b\n"
         "- p.again; not in channel x or y: it is in no channel\n"
         "- p.v2.0.0; not in channel x or y: it is in a, b\n"
         "- p.v1.0.0; not in channel x or y: it is in no channel\n"
         "- p.bad; not in channel x or y: it is in no channel\n"
         "- p.worse; not in channel x or y: it is in no channel\n"},
        {"outside of the range",
         one_to_three + named_bundle("p.bad", "1.x"),
         {.package = "p", .version = "<2.0.0"},
         "c: \n"
         "+ p.v1.0.0\n"
         "- p.v3.0.0; outside the range: 3.0.0 does not satisfy <2.0.0\n"
         "- p.v2.0.0; outside the range: 2.0.0 does not satisfy <2.0.0\n"
         "- p.bad; its version cannot be read: No Major.Minor.Patch elements found\n"},
        {"candidates that are not the best",
         one_to_three + named_bundle("p.bad", "latest") + named_bundle("p.again", "2.0.0") +
             deprecations_yaml("p", "p.v3.0.0"),
         {.package = "p"},
         "c: \n"
         "+ p.v2.0.0\n"
         "+ p.again; the same version as p.v2.0.0, which comes first in the catalog\n"
         "+ p.v1.0.0; lower than 2.0.0\n"
         "+ p.bad; its version cannot be read (No Major.Minor.Patch elements found), so it ranks after "
         "p.v2.0.0\n"
         "+ p.v3.0.0; deprecated, and p.v2.0.0 is not\n"},
        {"the only version cannot be read",
         named_bundle("p.bad", "latest"),
         {.package = "p"},
         "c: \n+ p.bad; its version cannot be read: No Major.Minor.Patch elements found\n"},
        {"a dependency",
         bundle_yaml("p", "1.0.0") + bundle_yaml("p", "2.0.0", dependency),
         {.package = "p"},
         "c: \n"
         "+ p.v2.0.0; its dependency (olm.gvk.required) is not supported by OLM v1, which tries no other "
         "bundle\n"
         "+ p.v1.0.0; lower than 2.0.0\n"},
        {"without an edge: no entry, none that has one, some, and many",
         channel_yaml("p", "a",
                      "{name: p.v2.0.0}, {name: p.v3.0.0, replaces: p.v2.0.0, skipRange: '>=1.5.0'}, "
                      "{name: p.v4.0.0, skipRange: what, skips: [" +
                          many_skips + "]}, {name: p.v5.0.0, skips: [p.v1, p.v2, p.v3, p.v4, p.v5]}") +
             one_to_three + bundle_yaml("p", "4.0.0") + bundle_yaml("p", "5.0.0") + bundle_yaml("p", "6.0.0"),
         {.package = "p", .installed = installed},
         "c: \n"
         "+ p.v1.0.0\n"
         "- p.v6.0.0; no edge from p.v1.0.0: no requested channel has an entry for it\n"
         "- p.v5.0.0; no edge from p.v1.0.0: its edges come from p.v1, p.v2, p.v3, p.v4 and p.v5\n"
         "- p.v4.0.0; no edge from p.v1.0.0: its edges come from p.v0.1.0, p.v0.2.0, p.v0.3.0, p.v0.4.0, "
         "p.v0.5.0 and 2 "
         "more; OLM ignores its skipRange \"what\": Could not get version from string: \"what\"\n"
         "- p.v3.0.0; no edge from p.v1.0.0: its edges come from p.v2.0.0; its skipRange is \">=1.5.0\"\n"
         "- p.v2.0.0; no edge from p.v1.0.0: it has no edges\n"},
        {"edges of channels that are not requested do not count",
         channel_yaml("p", "a", "{name: p.v2.0.0, replaces: p.v1.0.0}") +
             channel_yaml("p", "b", "{name: p.v2.0.0}") + one_to_three,
         {.package = "p", .channels = {"b"}, .installed = installed},
         "c: \n"
         "- p.v3.0.0; not in channel b: it is in no channel; no edge from p.v1.0.0: no requested channel has "
         "an entry for "
         "it\n"
         "- p.v2.0.0; no edge from p.v1.0.0: it has no edges\n"
         "- p.v1.0.0; not in channel b: it is in no channel\n"},
        {"edges do not matter with SelfCertified",
         channel_yaml("p", "a", "{name: p.v2.0.0}") + bundle_yaml("p", "2.0.0"),
         {.package = "p", .policy = Policy::self_certified, .installed = installed},
         "c: \n+ p.v2.0.0\n"},
        {"a crash",
         channel_yaml("p", "a", "{name: p.v2.0.0, skipRange: '1.1.0 || || 2.0.0'}") +
             bundle_yaml("p", "2.0.0"),
         {.package = "p", .installed = installed},
         "c: error walking catalogs: OLM crashes on the skipRange \"1.1.0 || || 2.0.0\" of \"p.v2.0.0\" in "
         "channel \"a\": an alternative has no comparators\n- p.v2.0.0; OLM crashes on its skipRange \"1.1.0 "
         "|| || 2.0.0\"\n"},
        {"an installed version that cannot be read",
         one_to_three,
         {.package = "p", .installed = InstalledBundle{"p.bad", "1.2", {}}},
         "c: error walking catalogs: error finding upgrade edges: failed to get version and release of "
         "installed bundle: "
         "No Major.Minor.Patch elements found\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        Cluster cluster;
        cluster.add("c", c.yaml);
        CHECK(explained(c.request, cluster) == c.text);
    }
}

TEST_CASE("of several catalogs: why one is not considered, and why its best bundle loses") {
    const std::string one = bundle_yaml("p", "1.0.0");
    const Request request{.package = "p"};
    Cluster cluster;
    cluster.add("low", one);
    cluster.add("high", bundle_yaml("p", "2.0.0"), 7);
    cluster.add("away", one).unavailable = true;
    cluster.add("empty", bundle_yaml("q", "1.0.0"));
    CHECK(explained(request, cluster) ==
          "low: \n+ p.v1.0.0; catalog high has the higher priority (7 over 0)\n"
          "high: \n+ p.v2.0.0\n"
          "away: its availabilityMode is Unavailable\n"
          "empty: it does not have package p\n");
    Request selecting = request;
    selecting.selector = LabelSelectorSpec{{{"olm.operatorframework.io/metadata.name", "low"}}, {}};
    CHECK(explained(selecting, cluster)
              .starts_with("low: \n+ p.v1.0.0\n"
                           "high: the selector leaves it out: olm.operatorframework.io/metadata.name"));

    Cluster equal;
    equal.add("a", one);
    equal.add("b", one);
    CHECK(explained(request, equal) ==
          "a: \n+ p.v1.0.0; another catalog of the same priority offers a bundle, too\n"
          "b: \n+ p.v1.0.0; another catalog of the same priority offers a bundle, too\n");

    Cluster deprecated;
    deprecated.add("high", one + deprecations_yaml("p", "p.v1.0.0"), 7);
    deprecated.add("low", bundle_yaml("p", "0.1.0"));
    CHECK(explained(request, deprecated) ==
          "high: \n+ p.v1.0.0; deprecated, and p.v0.1.0 of catalog low is not\n"
          "low: \n+ p.v0.1.0\n");

    Cluster broken;
    broken.add("good", one);
    broken.add_broken("bad", "it burns");
    CHECK(explained(request, broken) ==
          "good: \n+ p.v1.0.0; the best of this catalog, but an error ended the resolution\n"
          "bad: error walking catalogs: error getting package \"p\" from catalog \"bad\": it burns\n");
}

TEST_CASE("how the installed bundle becomes the chosen one") {
    const struct {
        std::string_view entry, edge;
    } cases[] = {
        {"replaces: p.v1.0.0", "replaces p.v1.0.0 (channel stable)"},
        {"skips: [p.v1.0.0]", "skips p.v1.0.0 (channel stable)"},
        {"skipRange: '<2.0.0'", "skipRange \"<2.0.0\" contains 1.0.0 (channel stable)"},
        {"skips: []", "the version that is installed"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.entry);
        Cluster cluster;
        cluster.add("c", channel_yaml("p", "stable", fmt::format("{{name: p.v2.0.0, {}}}", c.entry)) +
                             bundle_yaml("p", "1.0.0") + bundle_yaml("p", "2.0.0"));
        for (const Policy policy : {Policy::catalog_provided, Policy::self_certified}) {
            const Request request{
                .package = "p", .policy = policy, .installed = InstalledBundle{"p.v1.0.0", "1.0.0", {}}};
            const Resolution resolution = resolve(request, cluster.catalogs);
            REQUIRE(resolution.choice);
            const auto query = Query::compile(request);
            REQUIRE(query);
            CHECK(describe_edge(*query, *resolution.choice) ==
                  (policy == Policy::catalog_provided ? c.edge : ""));
        }
    }
}

TEST_CASE("the version of a bundle has a release only with the feature gate") {
    const auto shown = [](std::string_view value, bool release_support) {
        Cluster cluster;
        cluster.add("c",
                    fmt::format("---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: i\nproperties:\n"
                                "- {{type: olm.package, value: {{packageName: p, {}}}}}\n",
                                value));
        return version_or_mark(cluster.catalogs[0].index->find("p")->bundles[0], release_support);
    };
    CHECK(shown("version: 1.0.0, release: r2", true) == "1.0.0 release r2");
    CHECK(shown("version: 1.0.0, release: r2", false) == "1.0.0");
    CHECK(shown("version: 1.0.0", true) == "1.0.0");
    CHECK(shown("version: 1.0.0+4", true) == "1.0.0 release 4"); // as OLM reads older bundles
    CHECK(shown("version: 1.0.0+4", false) == "1.0.0+4");
    CHECK(shown("version: 1.x", true) == "?");
}
