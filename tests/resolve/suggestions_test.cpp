#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"
#include "random_catalog.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::vector<std::string> changes(const Request& request, const Cluster& cluster) {
    std::vector<std::string> texts;
    for (const Suggestion& suggestion :
         suggest(request, cluster.catalogs, resolve(request, cluster.catalogs)))
        texts.push_back(fmt::format("{} -> {}", suggestion.change, suggestion.choice.bundle->name()));
    return texts;
}

Cluster chain() {
    std::string yaml = channel_yaml("p", "stable",
                                    "{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}, "
                                    "{name: p.v1.2.0, replaces: p.v1.1.0}") +
                       channel_yaml("p", "fast", "{name: p.v2.0.0, replaces: p.v1.0.0}");
    for (const std::string_view version : {"1.0.0", "1.1.0", "1.2.0", "2.0.0"})
        yaml += bundle_yaml("p", version);
    Cluster cluster;
    cluster.add("c", yaml);
    return cluster;
}

const InstalledBundle first{"p.v1.0.0", "1.0.0", std::nullopt};

} // namespace

TEST_CASE("where no edge leads, the intermediate version, the range and the policy are named") {
    CHECK(
        changes({.package = "p", .version = "1.2.x", .channels = {"stable"}, .installed = first}, chain()) ==
        std::vector<std::string>{"go through p.v1.1.0 first: version \"1.1.0\" -> p.v1.1.0",
                                 "ask for no version -> p.v1.1.0",
                                 "set upgradeConstraintPolicy to SelfCertified -> p.v1.2.0"});
}

TEST_CASE("the channel with the version is named") {
    CHECK(changes({.package = "p", .version = ">=2", .channels = {"stable"}, .installed = first}, chain()) ==
          std::vector<std::string>{"add channel fast -> p.v2.0.0", "ask for no version -> p.v1.1.0"});
}

TEST_CASE("a bundle without a channel is found by asking for no channel") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable", "{name: p.gone}") +
                         channel_yaml("p", "fast", "{name: p.gone}") + bundle_yaml("p", "2.0.0"));
    CHECK(changes({.package = "p", .channels = {"stable"}}, cluster) ==
          std::vector<std::string>{"ask for no channel -> p.v2.0.0"});
}

TEST_CASE("a channel that is not enough is named with the other necessary changes") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable", "{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}") +
                         channel_yaml("p", "fast", "{name: p.v2.0.0, replaces: p.v1.1.0}") +
                         bundle_yaml("p", "1.0.0") + bundle_yaml("p", "1.1.0") + bundle_yaml("p", "2.0.0"));
    CHECK(changes({.package = "p", .version = ">=2", .channels = {"stable"}, .installed = first}, cluster) ==
          std::vector<std::string>{
              "add channel fast and go through p.v1.1.0 first: version \"1.1.0\" -> p.v1.1.0",
              "ask for no version -> p.v1.1.0"});
}

TEST_CASE("a forced upgrade has a remark about its risk, and about the nearest version") {
    const auto remarks = [](const Request& request, const Cluster& cluster) {
        std::string text;
        for (const Suggestion& suggestion :
             suggest(request, cluster.catalogs, resolve(request, cluster.catalogs)))
            if (suggestion.change == "set upgradeConstraintPolicy to SelfCertified")
                text += suggestion.remarks;
        return text;
    };
    const std::string risk = "the author's edges are ignored, downgrades included: verify the consequences "
                             "first, data may be lost";
    const std::string needs = "- {type: olm.package.required, value: {packageName: q}}\n";
    const struct {
        std::string_view what;
        std::string yaml;
        std::string remarks;
    } cases[] = {
        {"one newer version", bundle_yaml("p", "2.0.0"), risk},
        {"several, in any order",
         bundle_yaml("p", "3.0.0") + bundle_yaml("p", "2.0.0") + bundle_yaml("p", "2.5.0"),
         risk + "; nearest to what is installed is version \"2.0.0\""},
        {"two of one version",
         bundle_yaml("p", "2.0.0") +
             "---\nschema: olm.bundle\npackage: p\nname: p.again\nimage: i\nproperties:\n"
             "- {type: olm.package, value: {packageName: p, version: 2.0.0}}\n",
         risk},
        {"older ones do not count", bundle_yaml("p", "0.5.0") + bundle_yaml("p", "2.0.0"), risk},
        {"nor does one with a dependency", bundle_yaml("p", "1.5.0", needs) + bundle_yaml("p", "2.0.0"),
         risk},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        Cluster cluster;
        cluster.add("c", c.yaml);
        CHECK(remarks({.package = "p", .version = ">0.1", .installed = first}, cluster) == c.remarks);
    }
    // Without a valid installed version there is no nearest one.
    Cluster cluster;
    cluster.add("c", bundle_yaml("p", "3.0.0") + bundle_yaml("p", "2.0.0"));
    CHECK(remarks({.package = "p", .installed = InstalledBundle{"p.bad", "1.x", {}}}, cluster) == risk);
}

TEST_CASE("the intermediate version may be in a later catalog") {
    Cluster cluster;
    cluster.add("other", bundle_yaml("q", "1.0.0"));
    cluster.add("first", bundle_yaml("p", "1.0.0"));
    cluster.add(
        "unreadable",
        channel_yaml("p", "stable", "{name: p.bad, replaces: p.v1.0.0}, {name: p.v1.2.0, replaces: p.bad}") +
            "---\nschema: olm.bundle\npackage: p\nname: p.bad\nimage: i\nproperties:\n"
            "- {type: olm.package, value: {packageName: p, version: 1.x}}\n" +
            bundle_yaml("p", "1.2.0"));
    cluster.add("second",
                channel_yaml("p", "stable",
                             "{name: p.v1.1.0, replaces: p.v1.0.0}, {name: p.v1.2.0, replaces: p.v1.1.0}") +
                    bundle_yaml("p", "1.1.0") + bundle_yaml("p", "1.2.0"));
    CHECK(changes({.package = "p", .version = "1.2.x", .installed = first}, cluster).at(0) ==
          "go through p.v1.1.0 first: version \"1.1.0\" -> p.v1.1.0");
}

TEST_CASE("a misspelt package gets a suggestion") {
    Cluster cluster;
    cluster.add("c", bundle_yaml("argocd", "1.0.0"));
    CHECK(changes({.package = "argcd"}, cluster) ==
          std::vector<std::string>{"ask for package argocd -> argocd.v1.0.0"});
    // Once, though two catalogs have it.
    cluster.add("d", bundle_yaml("argocd", "2.0.0") + bundle_yaml("argcxd", "1.0.0"), 1);
    CHECK(changes({.package = "argcd"}, cluster) ==
          std::vector<std::string>{"ask for package argcxd -> argcxd.v1.0.0",
                                   "ask for package argocd -> argocd.v2.0.0"});
}

TEST_CASE("leaving out a selector that selects no catalog with the package is suggested") {
    Cluster cluster;
    cluster.add("x", bundle_yaml("p", "1.0.0"));
    Request request{.package = "p"};
    request.selector.emplace().match_labels["team"] = "a";
    CHECK(changes(request, cluster) == std::vector<std::string>{"leave out the selector -> p.v1.0.0"});
}

TEST_CASE("with several catalogs, selecting one or excluding a broken one is suggested") {
    Cluster cluster;
    cluster.add("x", bundle_yaml("p", "1.0.0"));
    cluster.add("y", bundle_yaml("p", "2.0.0"));
    const std::string_view label = "olm.operatorframework.io/metadata.name";
    CHECK(changes({.package = "p"}, cluster) ==
          std::vector{fmt::format("select catalog x: selector.matchLabels \"{}\": x -> p.v1.0.0", label),
                      fmt::format("select catalog y: selector.matchLabels \"{}\": y -> p.v2.0.0", label)});
    cluster.catalogs.pop_back();
    cluster.add_broken("z", "it burns");
    CHECK(changes({.package = "p"}, cluster) ==
          std::vector<std::string>{"leave catalog z out: selector.matchExpressions "
                                   "olm.operatorframework.io/metadata.name NotIn [z] -> p.v1.0.0"});
}

TEST_CASE("the best bundle without dependencies is named") {
    Cluster cluster;
    cluster.add("c",
                bundle_yaml("p", "1.0.0") +
                    bundle_yaml("p", "2.0.0", "- {type: olm.package.required, value: {packageName: q}}\n"));
    CHECK(changes({.package = "p"}, cluster) ==
          std::vector<std::string>{"ask for version \"1.0.0\" -> p.v1.0.0"});
}

TEST_CASE("suggestions work") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        RandomCatalog random(seed);
        Cluster cluster;
        add_random(cluster, random);
        const Request request = random.request();
        for (const Suggestion& suggestion :
             suggest(request, cluster.catalogs, resolve(request, cluster.catalogs))) {
            const Resolution outcome = resolve(suggestion.request, cluster.catalogs);
            REQUIRE(outcome.choice);
            CHECK(outcome.choice->bundle == suggestion.choice.bundle);
        }
    }
}

TEST_CASE("the shortest upgrade path is found along edges") {
    const Cluster cluster = chain();
    const PackageGraph& package = *cluster.catalogs[0].index->find("p");
    const auto path_to = [&](std::string_view goal) {
        std::string text;
        const auto is_goal = [&](const PackageBundle& bundle) { return bundle.name() == goal; };
        for (const PackageBundle* bundle :
             shortest_path({.package = "p", .installed = first}, package, is_goal))
            text += fmt::format("{} ", bundle->name());
        return text;
    };
    CHECK(path_to("p.v1.0.0") == "p.v1.0.0 ");
    CHECK(path_to("p.v1.2.0") == "p.v1.1.0 p.v1.2.0 ");
    CHECK(path_to("p.v2.0.0") == "p.v2.0.0 ");
    CHECK(path_to("p.v3.0.0").empty());
}
