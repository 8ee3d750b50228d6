// The stories of OLM's "Dependency Resolution and Upgrades": why upgrades are resolved together.
#include "opcat/resolve/classic/explain.hpp"
#include "world.hpp"

using namespace opcat::classic;

namespace {

// One channel with the given versions, each replacing the one before; their properties one by one.
std::string chain_yaml(std::string_view package, const std::vector<std::string>& properties) {
    std::string entries;
    std::string bundles;
    for (size_t i = 0; i < properties.size(); ++i) {
        const std::string name = fmt::format("{}.v{}", package, i + 1);
        entries += i == 0 ? fmt::format("{{name: {}}}", name)
                          : fmt::format(", {{name: {}, replaces: {}.v{}}}", name, package, i);
        bundles += bundle_yaml(package, name, fmt::format("{}.0.0", i + 1), properties[i]);
    }
    return package_yaml(package, "stable") + channel_yaml(package, "stable", entries) + bundles;
}

std::string provided_json(std::string_view kind) {
    return fmt::format(R"({{"type":"olm.gvk","value":{{"group":"example.com","version":"v1","kind":"{}"}}}})",
                       kind);
}
std::string required_json(std::string_view kind) {
    return fmt::format(
        R"({{"type":"olm.gvk.required","value":{{"group":"example.com","version":"v1","kind":"{}"}}}})",
        kind);
}
std::string package_json(std::string_view package) {
    return fmt::format(R"({{"type":"olm.package","value":{{"packageName":"{}","version":"1.0.0"}}}})",
                       package);
}

// A requires B; both are installed and subscribed to.
World deprecated_api(const std::vector<std::string>& versions_of_a) {
    World world;
    world.catalog("main", chain_yaml("a", versions_of_a) + chain_yaml("b", {provides("B"), provides("C")}));
    world.subscription("a", "stable", "a.v1");
    world.subscription("b", "stable", "b.v1");
    world.installed("a.v1", "1.0.0",
                    fmt::format("[{},{},{}]", package_json("a"), provided_json("A"), required_json("B")));
    world.installed("b.v1", "1.0.0", fmt::format("[{},{}]", package_json("b"), provided_json("B")));
    return world;
}

World deadlock(const std::vector<std::string>& versions_of_b) {
    World world;
    world.catalog("main",
                  chain_yaml("a", {provides("A") + requires_api("B"), provides("A2") + requires_api("B2")}) +
                      chain_yaml("b", versions_of_b));
    world.subscription("a", "stable", "a.v1");
    world.subscription("b", "stable", "b.v1");
    world.installed("a.v1", "1.0.0",
                    fmt::format("[{},{},{}]", package_json("a"), provided_json("A"), required_json("B")));
    world.installed("b.v1", "1.0.0",
                    fmt::format("[{},{},{}]", package_json("b"), provided_json("B"), required_json("A")));
    return world;
}

} // namespace

TEST_CASE("Deprecate dependant API: B's provider is not upgraded to one that A's provider cannot work with") {
    const World world = deprecated_api({provides("A") + requires_api("B")});
    CHECK(world.answer().empty());
    const Resolution resolution = resolve(world.request());
    const auto choices = explain_choices(resolution);
    REQUIRE(choices.size() == 1);
    CHECK(choices[0].chosen == "b.v1 (installed)");
    REQUIRE(choices[0].rejected.size() == 1);
    CHECK(choices[0].rejected[0].what.starts_with("b.v2 "));
    std::string why;
    for (const Sentence& sentence : choices[0].rejected[0].why) why += sentence.text + "\n";
    CHECK(why.find("a.v1 (installed) requires an operator providing an API with group: example.com, version: "
                   "v1, kind: B; there is b.v1 (installed)") != std::string::npos);
}

TEST_CASE("Deprecate dependant API: when A's provider supports C, both are upgraded together") {
    const World world =
        deprecated_api({provides("A") + requires_api("B"), provides("A") + requires_api("C")});
    CHECK(world.answer() == "a.v2 b.v2");
}

TEST_CASE("Version deadlock: operators that need each other move at once") {
    const World world = deadlock({provides("B") + requires_api("A"), provides("B2") + requires_api("A2")});
    CHECK(world.answer() == "a.v2 b.v2");
}

TEST_CASE("Version deadlock: as long as one of them has no successor, neither moves") {
    CHECK(deadlock({provides("B") + requires_api("A")}).answer().empty());
}
