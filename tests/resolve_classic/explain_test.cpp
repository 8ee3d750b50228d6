#include "world.hpp"

using namespace opcat::classic;

TEST_CASE("a common reason of several bundles of a package is reported once") {
    World world;
    world.catalog("main",
                  package_yaml("red", "stable") +
                      channel_yaml("red", "stable", "{name: red.v2, replaces: red.v1}, {name: red.v1}") +
                      bundle_yaml("red", "red.v1", "1.0.0", requires_api("K")) +
                      bundle_yaml("red", "red.v2", "2.0.0", requires_api("K")));
    world.subscription("red", "stable");
    CHECK(world.reasons() ==
          "Subscription red asks for package red from channel stable of catalog olm/main\n"
          "Subscription red can be met by red.v2 (stable) or red.v1 (stable)\n"
          "red.v2 (package red, channel stable, catalog olm/main) requires an operator providing an API with "
          "group: example.com, version: v1, kind: K; no catalog has one, and none is installed; the same "
          "goes for "
          "red.v1 (stable)\n");
}

TEST_CASE("near misses of an unsatisfied requirement are reported") {
    World world;
    world.catalog("main", operator_yaml("red", requires_package("k", ">=2.0.0")) +
                              operator_yaml("blue", ", {type: olm.gvk.required, value: {group: example.com, "
                                                    "version: v2, kind: K}}") +
                              operator_yaml("k", provides("K")));
    world.subscription("red", "stable");
    CHECK(world.reasons().find("in range: >=2.0.0; none fits: there is only k.v1 (version 1.0.0)") !=
          std::string::npos);
    world.cluster.subscriptions.clear();
    world.subscription("blue", "stable");
    CHECK(world.reasons().find("kind: K; none fits: there is only k.v1 with version v1 of it") !=
          std::string::npos);
}

TEST_CASE("mistakes that prevent OLM from composing a problem have a place") {
    World world;
    world.catalog("main", operator_yaml("red", requires_package("k", "1.x.y")));
    world.subscription("red", "stable");
    const auto sentences = explain_failure(resolve(world.request()));
    REQUIRE(sentences.size() == 1);
    CHECK(sentences[0].text.starts_with(
        "red.v1 (package red, channel stable, catalog olm/main) has a requirement "
        "(olm.package.required) that OLM cannot use: "));
    CHECK(sentences[0].where.file->path() == "main.yaml");

    World slash;
    slash.catalog("main", package_yaml("red", "a/b") + channel_yaml("red", "a/b", "{name: red.v1}") +
                              bundle_yaml("red", "red.v1", "1.0.0"));
    slash.subscription("red", "a/b");
    CHECK(slash.reasons().starts_with(
        "red.v1 (package red, channel a/b, catalog olm/main) is chosen, and then not found "
        "again by its identifier main/olm/a/b/red.v1"));

    // Nor does it count as a provider of its API, so that there is no conflict.
    World providers;
    providers.catalog("main", package_yaml("red", "a/b") + channel_yaml("red", "a/b", "{name: red.v1}") +
                                  bundle_yaml("red", "red.v1", "1.0.0", provides("K")) +
                                  operator_yaml("blue", provides("K")));
    providers.subscription("red", "a/b");
    providers.subscription("blue", "stable");
    CHECK(resolve(providers.request()).error == "error determining origin of operator: unable to parse "
                                                "identifier main/olm/a/b/red.v1 for source info");

    World unordered;
    unordered.catalog("main", package_yaml("red", "stable") +
                                  channel_yaml("red", "stable", "{name: red.v2}, {name: red.v1}") +
                                  bundle_yaml("red", "red.v1", "1.0.0") +
                                  bundle_yaml("red", "red.v2", "2.0.0"));
    unordered.subscription("red", "stable");
    CHECK(unordered.reasons().starts_with("the candidates for Subscription red have no order: a unique "
                                          "replacement chain"));
}

TEST_CASE("candidates of a requirement without an order are reported with the bundle that requires them") {
    World world;
    world.catalog("main", operator_yaml("red", requires_package("k", ">=1.0.0")) +
                              package_yaml("k", "stable") +
                              channel_yaml("k", "stable", "{name: k.v2}, {name: k.v1}") +
                              bundle_yaml("k", "k.v1", "1.0.0") + bundle_yaml("k", "k.v2", "2.0.0"));
    world.subscription("red", "stable");
    CHECK(world.reasons().starts_with("red.v1 (package red, channel stable, catalog olm/main) has a "
                                      "requirement (olm.package.required) that OLM "
                                      "cannot use: a unique replacement chain within a channel is required"));
}

TEST_CASE("of many rejected candidates three are explained") {
    World world;
    std::string entries;
    std::string bundles;
    for (int i = 6; i > 0; --i) {
        entries += fmt::format("{{name: red.v{}, replaces: red.v{}}}{}", i, i - 1, i > 1 ? ", " : "");
        bundles += bundle_yaml("red", fmt::format("red.v{}", i), fmt::format("{}.0.0", i),
                               i > 1 ? requires_api("K") : "");
    }
    world.catalog("main", package_yaml("red", "stable") + channel_yaml("red", "stable", entries) + bundles);
    world.subscription("red", "stable");
    const auto choices = explain_choices(resolve(world.request()));
    REQUIRE(choices.size() == 1);
    CHECK(choices[0].wanted == "Subscription red");
    CHECK(choices[0].chosen.starts_with("red.v1 "));
    REQUIRE(choices[0].rejected.size() == 3);
    CHECK(choices[0].rejected[0].what.starts_with("red.v6 "));
    CHECK(choices[0].rejected[2].what.starts_with("red.v4 "));
    CHECK(choices[0].more == 2);
}

TEST_CASE("suggestions: another catalog, package, channel or version, or one less") {
    World world;
    world.catalog("main", operator_yaml("red"));
    world.catalog("extra", operator_yaml("blue"));
    world.subscription("blue", "stable");
    CHECK(world.changes() == "let Subscription blue take package blue from catalog olm/extra\n"
                             "remove Subscription blue\n");
    world.cluster.subscriptions.clear();
    world.subscription("redd", "stable");
    CHECK(world.changes() == "let Subscription redd ask for package red\nremove Subscription redd\n");
    world.cluster.subscriptions.clear();
    world.subscription("red", "stabel");
    CHECK(world.changes() == "switch Subscription red to channel stable\nremove Subscription red\n");
    world.cluster.subscriptions.clear();
    world.subscription("red", "stable", "", "main", "red.v9");
    CHECK(world.changes() == "remove startingCSV red.v9 from Subscription red\n"
                             "let Subscription red start with startingCSV red.v1\n"
                             "remove Subscription red\n");
}

TEST_CASE("suggestions: a version that another one skips can only be installed by its name") {
    World world;
    world.catalog("main",
                  package_yaml("red", "stable") +
                      channel_yaml("red", "stable", "{name: red.v2, skips: [red.v1]}, {name: red.v1}") +
                      bundle_yaml("red", "red.v1", "1.0.0") +
                      bundle_yaml("red", "red.v2", "2.0.0", requires_api("K")));
    world.subscription("red", "stable");
    CHECK(world.changes() == "let Subscription red start with startingCSV red.v1\nremove Subscription red\n");
}

TEST_CASE("suggestions: two removals if one is not enough") {
    World world;
    world.catalog("main", operator_yaml("red", requires_api("K")) + operator_yaml("blue", requires_api("L")));
    world.subscription("red", "stable");
    world.subscription("blue", "stable");
    const std::string both = world.changes();
    CHECK((both == "remove Subscription red, and remove Subscription blue\n" ||
           both == "remove Subscription blue, and remove Subscription red\n"));
}
