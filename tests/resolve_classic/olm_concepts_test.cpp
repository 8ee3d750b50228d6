// The examples of "OLM concepts", section 2.4.4: properties, dependencies, constraints, preferences.
#include "world.hpp"

using namespace opcat;
using namespace opcat::classic;

namespace {

// red is subscribed to, and requires what the constraint says; `others` are the candidates.
std::string ask(std::string_view constraint, const std::string& others) {
    World world;
    world.catalog("main", operator_yaml("red", requires_that(constraint)) + others);
    world.subscription("red", "stable");
    return world.answer();
}

std::string gvk(std::string_view group, std::string_view version, std::string_view kind) {
    return fmt::format(", {{type: olm.gvk, value: {{group: {}, version: {}, kind: {}}}}}", group, version,
                       kind);
}

constexpr const char* certified = ", {type: certified, value: true}";
constexpr const char* stable = ", {type: stable, value: true}";

// Package blue in the given version.
std::string blue(std::string_view version, const std::string& properties = {}) {
    return package_yaml("blue", "stable") + channel_yaml("blue", "stable", "{name: blue.v1}") +
           bundle_yaml("blue", "blue.v1", version, properties);
}

bool is_unmet(const std::string& answer) {
    return answer.starts_with("constraints not satisfiable: bundle red.v1 requires an operator ");
}

} // namespace

TEST_CASE(
    "2.4.4.2.1 arbitrary properties: constraints can require properties that the resolver does not know") {
    const std::string shapes =
        ", {type: color, value: red}, {type: shape, value: square}, {type: olm.kubeversion, value: {version: "
        "\"1.16.0\"}}" +
        gvk("olm.coreos.io", "v1alpha1", "myresource");
    CHECK(ask("cel: {rule: \"properties.exists(p, p.type == 'color' && p.value == 'red') && "
              "properties.exists(p, "
              "p.type == 'shape' && p.value == 'square')\"}",
              operator_yaml("painted", shapes)) == "painted.v1 red.v1");
    CHECK(is_unmet(ask("cel: {rule: \"properties.exists(p, p.type == 'color' && p.value == 'blue')\"}",
                       operator_yaml("painted", shapes))));
    CHECK(ask("cel: {rule: \"properties.exists(p, p.type == 'olm.kubeversion' && "
              "semver_compare(p.value.version, "
              "'1.16') == 0)\"}",
              operator_yaml("painted", shapes)) == "painted.v1 red.v1");
}

TEST_CASE("2.4.4.4.1 cel: the property that a rule asks for") {
    const std::string rule = "failureMessage: 'require to have \"certified\"', cel: {rule: "
                             "'properties.exists(p, p.type == \"certified\")'}";
    CHECK(ask(rule, operator_yaml("plain") + operator_yaml("good", certified)) == "good.v1 red.v1");
    CHECK(
        ask(rule, operator_yaml("plain")) ==
        "constraints not satisfiable: bundle red.v1 requires an operator with constraint: "
        R"_("properties.exists(p, p.type == \"certified\")" and message: "require to have \"certified\"", )_"
        "subscription red exists, subscription red requires main/olm/stable/red.v1");
}

TEST_CASE("2.4.4.4.1 cel with several rules: one operator must meet all of them") {
    const std::string rule =
        "failureMessage: 'require to have \"certified\" and \"stable\" properties', cel: {rule: "
        "'properties.exists(p, p.type == \"certified\") && properties.exists(p, p.type == \"stable\")'}";
    CHECK(is_unmet(ask(rule, operator_yaml("one", certified) + operator_yaml("two", stable))));
    CHECK(ask(rule, operator_yaml("one", certified) +
                        operator_yaml("two", std::string(certified) + stable)) == "red.v1 two.v1");
}

TEST_CASE("2.4.4.4.2 all: one operator must meet all of the constraints") {
    const std::string all =
        "failureMessage: All are required for Red because..., all: {constraints: ["
        "{failureMessage: Package blue is needed for..., package: {packageName: blue, "
        "versionRange: '>=1.0.0'}},"
        "{failureMessage: GVK Green/v1 is needed for..., gvk: {group: greens.example.com, "
        "version: v1, kind: Green}}]}";
    const std::string green = gvk("greens.example.com", "v1", "Green");
    CHECK(ask(all, blue("1.0.0", green)) == "blue.v1 red.v1");
    CHECK(is_unmet(ask(all, blue("0.9.0", green))));
    CHECK(is_unmet(ask(all, blue("1.0.0") + operator_yaml("green", green))));
}

TEST_CASE("2.4.4.4.2 the documents' spelling of package constraints is refused: name is called packageName") {
    CHECK(ask("all: {constraints: [{package: {name: blue, versionRange: '>=1.0.0'}}]}", blue("1.0.0")) ==
          "parse olm.constraint: json: unknown field \"name\"");
}

TEST_CASE("2.4.4.4.2 any: one of the constraints is enough") {
    std::string any = "failureMessage: Any are required for Red because..., any: {constraints: [";
    for (const char* version : {"v1beta1", "v1beta2", "v1"})
        any += fmt::format("{{gvk: {{group: blues.example.com, version: {}, kind: Blue}}}},", version);
    any += "]}";
    for (const char* version : {"v1beta1", "v1beta2", "v1"})
        CHECK(ask(any, operator_yaml("blue", gvk("blues.example.com", version, "Blue"))) == "blue.v1 red.v1");
    CHECK(is_unmet(ask(any, operator_yaml("blue", gvk("blues.example.com", "v2", "Blue")))));
}

TEST_CASE("2.4.4.4.2 not: excludes candidates of another constraint") {
    const std::string without =
        "all: {constraints: [{failureMessage: Package blue is needed for..., package: {packageName: blue, "
        "versionRange: '>=1.0.0'}}, {failureMessage: Cannot be required for Red because..., not: "
        "{constraints: "
        "[{gvk: {group: greens.example.com, version: v1alpha1, kind: greens}}]}}]}";
    CHECK(ask(without, blue("1.0.0")) == "blue.v1 red.v1");
    CHECK(is_unmet(ask(without, blue("1.0.0", gvk("greens.example.com", "v1alpha1", "greens")))));
    // Alone it is pointless: anything without the API satisfies it, even the operator itself.
    CHECK(ask("not: {constraints: [{gvk: {group: greens.example.com, version: v1alpha1, kind: greens}}]}",
              "") == "red.v1");
}

TEST_CASE("2.4.4.4.3 nested constraints: all within any") {
    std::string nested = "failureMessage: Required for Red because..., any: {constraints: [";
    for (const auto& [range, version] : {std::pair(">=1.0.0", "v1"), std::pair("<1.0.0", "v1beta1")})
        nested +=
            fmt::format("{{all: {{constraints: [{{package: {{packageName: blue, versionRange: '{}'}}}}, "
                        "{{gvk: {{group: blues.example.com, version: {}, kind: Blue}}}}]}}}},",
                        range, version);
    nested += "]}";
    CHECK(ask(nested, blue("1.2.0", gvk("blues.example.com", "v1", "Blue"))) == "blue.v1 red.v1");
    CHECK(ask(nested, blue("0.9.0", gvk("blues.example.com", "v1beta1", "Blue"))) == "blue.v1 red.v1");
    CHECK(is_unmet(ask(nested, blue("1.2.0", gvk("blues.example.com", "v1beta1", "Blue")))));
}

TEST_CASE("2.4.4.4.3 the size of a constraint: documented 64 KiB get a warning, above 128 KiB OLM refuses") {
    const auto sized = [](size_t bytes) {
        World world;
        world.catalog("main",
                      operator_yaml("red", requires_that("failureMessage: " + std::string(bytes, 'x') +
                                                         ", gvk: {group: example.com, version: v1, "
                                                         "kind: K}")) +
                          operator_yaml("k", provides("K")));
        world.subscription("red", "stable");
        return world;
    };
    CHECK(sized(60'000).findings().empty());
    const World large = sized(70'000);
    CHECK(large.answer() == "k.v1 red.v1");
    const Diagnostics findings = large.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule == "classic-constraint-size");
    CHECK(findings[0].severity == Severity::warning);
    CHECK(sized(131'072).answer() ==
          "parse olm.constraint: olm.constraint value is greater than max constraint size 131072 bytes");
}

TEST_CASE("2.4.4.5.1 catalog priority: of several catalogs the one with the highest priority") {
    World world;
    world.catalog("main", operator_yaml("red", requires_api("K")));
    world.catalog("a", operator_yaml("from-a", provides("K")), 0);
    world.catalog("b", operator_yaml("from-b", provides("K")), 100);
    world.subscription("red", "stable");
    CHECK(world.answer() == "from-b.v1 red.v1");
}

TEST_CASE("2.4.4.5.1 catalog priority: the catalog of the depending operator comes before all others") {
    World world;
    world.catalog("main", operator_yaml("red", requires_api("K")) + operator_yaml("own", provides("K")), -5);
    world.catalog("b", operator_yaml("from-b", provides("K")), 100);
    world.subscription("red", "stable");
    CHECK(world.answer() == "own.v1 red.v1");
}

TEST_CASE("2.4.4.5.2 order of channels: the default channel, then by name") {
    const auto with_channels = [](const std::string& stable_provides) {
        World world;
        world.catalog("main", operator_yaml("red", requires_api("K")) + package_yaml("k", "stable") +
                                  channel_yaml("k", "fast", "{name: k.fast}") +
                                  channel_yaml("k", "candidate", "{name: k.candidate}") +
                                  channel_yaml("k", "stable", "{name: k.stable}") +
                                  bundle_yaml("k", "k.fast", "3.0.0", provides("K")) +
                                  bundle_yaml("k", "k.candidate", "2.0.0", provides("K")) +
                                  bundle_yaml("k", "k.stable", "1.0.0", stable_provides));
        world.subscription("red", "stable");
        return world.answer();
    };
    CHECK(with_channels(provides("K")) == "k.stable red.v1");
    CHECK(with_channels({}) == "k.candidate red.v1");
}

TEST_CASE("2.4.4.5.3 order in a channel: the head first, whatever the versions say") {
    const auto with_chain = [](const std::string& head_provides) {
        World world;
        world.catalog("main",
                      operator_yaml("red", requires_api("K")) + package_yaml("k", "stable") +
                          channel_yaml("k", "stable",
                                       "{name: k.newest, replaces: k.middle}, {name: k.middle, replaces: "
                                       "k.oldest}, {name: k.oldest}") +
                          bundle_yaml("k", "k.newest", "0.1.0", head_provides) +
                          bundle_yaml("k", "k.middle", "1.0.0", provides("K")) +
                          bundle_yaml("k", "k.oldest", "2.0.0", provides("K")));
        world.subscription("red", "stable");
        return world.answer();
    };
    CHECK(with_chain(provides("K")) == "k.newest red.v1");
    CHECK(with_chain({}) == "k.middle red.v1");
}

TEST_CASE("2.4.4.5.4.1 a Subscription restricts its package to its channel, also for dependents") {
    World world;
    world.catalog("main", operator_yaml("red", requires_package("k", ">=2.0.0")) +
                              package_yaml("k", "stable") + channel_yaml("k", "stable", "{name: k.v1}") +
                              channel_yaml("k", "fast", "{name: k.v2, replaces: k.v1}") +
                              bundle_yaml("k", "k.v1", "1.0.0") + bundle_yaml("k", "k.v2", "2.0.0"));
    world.subscription("red", "stable");
    CHECK(world.answer() == "k.v2 red.v1");
    world.subscription("k", "stable");
    CHECK(world.answer().starts_with("constraints not satisfiable: "));
}

TEST_CASE("2.4.4.5.4.2 no two operators of one package in a namespace") {
    World world;
    world.catalog("main", operator_yaml("red", requires_package("k", "<2.0.0")) +
                              operator_yaml("blue", requires_package("k", ">=2.0.0")) +
                              package_yaml("k", "stable") +
                              channel_yaml("k", "stable", "{name: k.v2, replaces: k.v1}, {name: k.v1}") +
                              bundle_yaml("k", "k.v1", "1.0.0") + bundle_yaml("k", "k.v2", "2.0.0"));
    world.subscription("red", "stable");
    world.subscription("blue", "stable");
    CHECK(world.answer().find("main/olm/stable/k.v1 and main/olm/stable/k.v2 originate from package k") !=
          std::string::npos);
}

TEST_CASE("2.4.4.7 set a minimum version: an API alone does not say which release of it is needed") {
    const std::string test_operator =
        package_yaml("test", "stable") + channel_yaml("test", "stable", "{name: test.v1.0.0}") +
        channel_yaml("test", "v1.0.1", "{name: test.v1.0.1, replaces: test.v1.0.0}") +
        bundle_yaml("test", "test.v1.0.0", "1.0.0", gvk("example.com", "v1alpha1", "MyObject")) +
        bundle_yaml("test", "test.v1.0.1", "1.0.1", gvk("example.com", "v1alpha1", "MyObject"));
    const auto with = [&](const std::string& requirements) {
        World world;
        world.catalog("main", operator_yaml("red", requirements) + test_operator);
        world.subscription("red", "stable");
        return world.answer();
    };
    const std::string api =
        ", {type: olm.gvk.required, value: {group: example.com, version: v1alpha1, kind: MyObject}}";
    CHECK(with(api) == "red.v1 test.v1.0.0");
    CHECK(with(api + requires_package("test", ">=1.0.1")) == "red.v1 test.v1.0.1");
}

TEST_CASE("2.4.4.7 ranges: wide ones, and those that leave a version out") {
    const auto chosen = [](std::string_view range) {
        World world;
        world.catalog("main",
                      operator_yaml("red", requires_package("k", range)) + package_yaml("k", "stable") +
                          channel_yaml("k", "stable",
                                       "{name: k.v2.0.0, replaces: k.v1.2.1}, {name: k.v1.2.1, replaces: "
                                       "k.v1.2.0}, {name: k.v1.2.0}") +
                          bundle_yaml("k", "k.v2.0.0", "2.0.0") + bundle_yaml("k", "k.v1.2.1", "1.2.1") +
                          bundle_yaml("k", "k.v1.2.0", "1.2.0"));
        world.subscription("red", "stable");
        return world.answer();
    };
    CHECK(chosen(">1.0.0") == "k.v2.0.0 red.v1");
    CHECK(chosen(">1.0.0 <2.0.0") == "k.v1.2.1 red.v1");
    CHECK(chosen("> 1.0.0 <2.0.0 !1.2.1") == "k.v1.2.0 red.v1");
}

TEST_CASE("2.4.4.8 no AND between dependencies: two operators may satisfy what was intended for one") {
    const std::string etcd = package_yaml("etcd", "stable") +
                             channel_yaml("etcd", "stable", "{name: etcd.v4}") +
                             bundle_yaml("etcd", "etcd.v4", "4.0.0");
    const std::string other =
        operator_yaml("other", gvk("etcd.database.coreos.com", "v1beta2", "EtcdCluster"));
    const std::string api = "group: etcd.database.coreos.com, version: v1beta2, kind: EtcdCluster";
    World world;
    world.catalog("main", operator_yaml("red", requires_package("etcd", ">3.1.0") +
                                                   ", {type: olm.gvk.required, value: {" + api + "}}") +
                              etcd + other);
    world.subscription("red", "stable");
    CHECK(world.answer() == "etcd.v4 other.v1 red.v1");
    // A compound constraint says it.
    CHECK(is_unmet(ask("all: {constraints: [{package: {packageName: etcd, versionRange: '>3.1.0'}}, {gvk: {" +
                           api + "}}]}",
                       etcd + other)));
}

TEST_CASE("2.4.4.8 each namespace is resolved by itself: operators of other namespaces do not count") {
    World world;
    world.catalog("main", operator_yaml("red", requires_api("K")) + operator_yaml("k", provides("K")));
    world.subscription("red", "stable");
    world.manifests("---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n"
                    "metadata: {namespace: elsewhere, name: k.v1}\nspec: {version: 1.0.0}\n");
    CHECK(world.answer() == "k.v1 red.v1");
}
