// lib/resolve/classic/explain.cpp, word for word: why nothing can be installed, and the changes after which
// it can.
#include "world.hpp"

using namespace opcat::classic;

namespace {

// "foo.v3" replaces "foo.v2", and so on; the properties are of all of them.
std::string chain_yaml(std::string_view package, int versions, std::string_view properties = {}) {
    std::string entries;
    std::string bundles;
    for (int i = versions; i > 0; --i) {
        entries += fmt::format("{}{{name: {}.v{}, replaces: {}.v{}}}", entries.empty() ? "" : ", ", package,
                               i, package, i - 1);
        bundles +=
            bundle_yaml(package, fmt::format("{}.v{}", package, i), fmt::format("{}.0.0", i), properties);
    }
    return package_yaml(package, "stable") + channel_yaml(package, "stable", entries) + bundles;
}

struct Installed {
    std::string name, version, properties;
    bool has_subscription = false;
};

struct Case {
    std::string_view what;
    std::string catalog;
    std::vector<Installed> installed; // with a Subscription to the package of its name, or none
    std::vector<std::string> subscriptions;
    std::string reasons;
    std::string changes;
};

World world_of(const Case& c) {
    World world;
    world.catalog("main", c.catalog);
    for (const Installed& one : c.installed) {
        world.installed(one.name, one.version, one.properties);
        if (one.has_subscription)
            world.subscription(one.name.substr(0, one.name.find('.')), "stable", one.name);
    }
    for (const std::string& package : c.subscriptions) world.subscription(package, "stable");
    return world;
}

std::string asked(std::string_view package, std::string_view by) {
    return fmt::format("Subscription {0} asks for package {0} from channel stable of catalog olm/main\n"
                       "Subscription {0} can be met by {1}\n",
                       package, by);
}

constexpr std::string_view in_main = "(package red, channel stable, catalog olm/main)";

} // namespace

TEST_CASE("reasons and changes, word for word") {
    const std::string provides_k =
        R"([{"type":"olm.gvk","value":{"group":"example.com","version":"v1","kind":"K"}}])";
    const std::string provides_l =
        R"([{"type":"olm.gvk","value":{"group":"example.com","version":"v1","kind":"L"}}])";
    const std::string package_q2 =
        R"([{"type":"olm.package","value":{"packageName":"q","version":"2.0.0"}}])";
    const Case cases[] = {
        {"two providers of an API",
         operator_yaml("red", provides("K")) + operator_yaml("blue", provides("K")),
         {},
         {"red", "blue"},
         asked("blue", "blue.v1 (stable)") + asked("red", "red.v1 (stable)") +
             "only one of blue.v1 (stable) and red.v1 (stable) can be installed: all of them provide K "
             "(example.com/v1)\n",
         "remove Subscription blue\nremove Subscription red\n"},
        {"an API of an installed operator that no Subscription owns",
         operator_yaml("red", provides("K")),
         {{"old.v1", "1.0.0", provides_k}},
         {"red"},
         asked("red", "red.v1 (stable)") +
             "old.v1 is installed and no Subscription owns it: it stays as it is\n"
             "only one of old.v1 (installed) and red.v1 (stable) can be installed: all of them provide K "
             "(example.com/v1)\n",
         "remove the installed operator old.v1 (ClusterServiceVersion ns/old.v1)\nremove Subscription red\n"},
        {"a bundle with the property olm.deprecated",
         operator_yaml("red", ", {type: olm.deprecated, value: {}}"),
         {},
         {"red"},
         asked("red", "red.v1 (stable)") +
             fmt::format("red.v1 {} has the property olm.deprecated: it is never chosen\n", in_main),
         "remove Subscription red\n"},
        {"APIs of two installed operators: removing one of them does not help",
         operator_yaml("red", provides("K") + provides("L")),
         {{"one.v1", "1.0.0", provides_k}, {"two.v1", "1.0.0", provides_l}},
         {"red"},
         asked("red", "red.v1 (stable)") +
             "one.v1 is installed and no Subscription owns it: it stays as it is\n"
             "only one of one.v1 (installed) and red.v1 (stable) can be installed: all of them provide K "
             "(example.com/v1)\n",
         "remove Subscription red\n"},
        {"candidates with different reasons",
         package_yaml("red", "stable") +
             channel_yaml("red", "stable", "{name: red.v2, replaces: red.v1}, {name: red.v1}") +
             bundle_yaml("red", "red.v1", "1.0.0", requires_api("K")) +
             bundle_yaml("red", "red.v2", "2.0.0", requires_api("L")),
         {},
         {"red"},
         asked("red", "red.v2 (stable) or red.v1 (stable)") +
             fmt::format("red.v2 {0} requires an operator providing an API with group: example.com, version: "
                         "v1, kind: L; no catalog has "
                         "one, and none is installed\n"
                         "red.v1 {0} requires an operator providing an API with group: example.com, version: "
                         "v1, kind: K; no catalog has "
                         "one, and none is installed\n",
                         in_main),
         "remove Subscription red\n"},
        {"many candidates for the same reason: some are named",
         chain_yaml("red", 9, requires_package("q", ">=1.0.0")),
         {},
         {"red"},
         asked("red", "red.v9 (stable), red.v8 (stable), red.v7 (stable), red.v6 (stable), red.v5 (stable) "
                      "and 4 more") +
             fmt::format("red.v9 {} requires an operator with package: q and with version in range: >=1.0.0; "
                         "no catalog has one, and "
                         "none is installed; the same goes for red.v8 (stable), red.v7 (stable), red.v6 "
                         "(stable), red.v5 (stable), "
                         "red.v4 (stable) and 3 more\n",
                         in_main),
         "remove Subscription red\n"},
        {"versions of a required package that do not match: the highest three",
         chain_yaml("q", 5) + operator_yaml("red", requires_package("q", ">=9.0.0")),
         {},
         {"red"},
         asked("red", "red.v1 (stable)") +
             fmt::format("red.v1 {} requires an operator with package: q and with version in range: >=9.0.0; "
                         "none fits: there is only "
                         "q.v5 (version 5.0.0), q.v4 (version 4.0.0), q.v3 (version 3.0.0) and 2 more\n",
                         in_main),
         "remove Subscription red\n"},
        {"exactly three",
         chain_yaml("q", 3) + operator_yaml("red", requires_package("q", ">=9.0.0")),
         {},
         {"red"},
         asked("red", "red.v1 (stable)") +
             fmt::format("red.v1 {} requires an operator with package: q and with version in range: >=9.0.0; "
                         "none fits: there is only "
                         "q.v3 (version 3.0.0), q.v2 (version 2.0.0) and q.v1 (version 1.0.0)\n",
                         in_main),
         "remove Subscription red\n"},
        {"a provider that another one skips",
         package_yaml("q", "stable") +
             channel_yaml("q", "stable", "{name: q.v2, skips: [q.v1]}, {name: q.v1}") +
             bundle_yaml("q", "q.v1", "1.0.0", provides("K")) + bundle_yaml("q", "q.v2", "2.0.0") +
             operator_yaml("red", requires_api("K")),
         {},
         {"red"},
         asked("red", "red.v1 (stable)") + fmt::format("red.v1 {} requires an operator providing an API with "
                                                       "group: example.com, version: v1, kind: K; none fits: "
                                                       "there is only q.v1, which another one skips\n",
                                                       in_main),
         "remove Subscription red\n"},
        {"an upgrade that takes away what another operator requires",
         package_yaml("red", "stable") +
             channel_yaml("red", "stable", "{name: red.v2, replaces: red.v1}, {name: red.v1}") +
             bundle_yaml("red", "red.v1", "1.0.0", provides("K")) +
             bundle_yaml("red", "red.v2", "2.0.0", provides("L")) + operator_yaml("blue", requires_api("K")) +
             operator_yaml("green", requires_api("L")),
         {{"red.v1", "1.0.0", provides_k, true}},
         {"blue", "green"},
         asked("blue", "blue.v1 (stable)") + asked("green", "green.v1 (stable)") +
             "blue.v1 (package blue, channel stable, catalog olm/main) requires an operator providing an API "
             "with group: example.com, "
             "version: v1, kind: K; there is red.v1 (installed) or red.v1 (stable)\n"
             "green.v1 (package green, channel stable, catalog olm/main) requires an operator providing an "
             "API with group: example.com, "
             "version: v1, kind: L; there is red.v2 (stable)\n" +
             fmt::format("red.v2 {} would replace red.v1: they cannot both be installed\n", in_main) +
             "only one of red.v1 (stable) and red.v2 (stable) can be installed: all of them are of package "
             "red\n",
         "remove Subscription blue\nremove Subscription green\n"},
        {"a constraint with the author's message",
         operator_yaml(
             "red",
             requires_that(
                 "failureMessage: need it, all: {constraints: [{gvk: {group: example.com, version: v1, kind: "
                 "K}}, {package: {packageName: q, versionRange: '>=1.0.0'}}]}")),
         {},
         {"red"},
         asked("red", "red.v1 (stable)") +
             fmt::format("red.v1 {} requires an operator providing an API with group: example.com, version: "
                         "v1, kind: K and with package: "
                         "q and with version in range: >=1.0.0 (\"need it\"); no catalog has one, and none "
                         "is installed\n",
                         in_main),
         "remove Subscription red\n"},
        {"requirements of two operators that only two versions of a package meet",
         operator_yaml("red", requires_package("q", "<2.0.0")) +
             operator_yaml("blue", requires_package("q", ">=2.0.0")) + chain_yaml("q", 2),
         {},
         {"red", "blue"},
         asked("blue", "blue.v1 (stable)") + asked("red", "red.v1 (stable)") +
             "blue.v1 (package blue, channel stable, catalog olm/main) requires an operator with package: q "
             "and with version in range: "
             ">=2.0.0; there is q.v2 (stable)\n" +
             fmt::format("red.v1 {} requires an operator with package: q and with version in range: <2.0.0; "
                         "there is q.v1 (stable)\n",
                         in_main) +
             "only one of q.v1 (stable) and q.v2 (stable) can be installed: all of them are of package q\n",
         "remove Subscription blue\nremove Subscription red\n"},
        {"an installed version of a package that a new operator does not work with",
         operator_yaml("red", requires_package("q", "<2.0.0")) + chain_yaml("q", 2),
         {{"q.v2", "2.0.0", package_q2}},
         {"red"},
         asked("red", "red.v1 (stable)") +
             fmt::format("red.v1 {} requires an operator with package: q and with version in range: <2.0.0; "
                         "there is q.v1 (stable)\n",
                         in_main) +
             "q.v2 is installed and no Subscription owns it: it stays as it is\n"
             "only one of q.v2 (installed) and q.v1 (stable) can be installed: all of them are of package "
             "q\n",
         "remove the installed operator q.v2 (ClusterServiceVersion ns/q.v2)\nremove Subscription red\n"},
        {"another channel, or a version of the same channel that is only installed by its name",
         package_yaml("red", "stable") + channel_yaml("red", "fast", "{name: red.v3}") +
             channel_yaml("red", "stable", "{name: red.v2, skips: [red.v1]}, {name: red.v1}") +
             channel_yaml("red", "x", "{name: red.v4}") + bundle_yaml("red", "red.v1", "1.0.0") +
             bundle_yaml("red", "red.v2", "2.0.0", requires_api("K")) +
             bundle_yaml("red", "red.v3", "3.0.0", requires_api("K")) + bundle_yaml("red", "red.v4", "4.0.0"),
         {},
         {"red"},
         asked("red", "red.v2 (stable)") +
             fmt::format("red.v2 {} requires an operator providing an API with group: example.com, version: "
                         "v1, kind: K; no catalog has "
                         "one, and none is installed\n",
                         in_main),
         "switch Subscription red to channel x\nlet Subscription red start with startingCSV red.v1\nremove "
         "Subscription red\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        const World world = world_of(c);
        CHECK(world.reasons() == c.reasons);
        CHECK(world.changes() == c.changes);
    }
}
