#include "random_catalog.hpp"
#include "resolve/v1/all_installed.hpp"
#include "resolve/v1/journey.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::string way(const Request& request, const Cluster& cluster) {
    const Journey journey = travel(request, cluster.catalogs);
    std::string text;
    for (const Hop& hop : journey.hops) text += fmt::format("{} ", hop.choice.bundle->name());
    return text + (journey.end == Journey::End::stays     ? "stays"
                   : journey.end == Journey::End::circles ? "circles"
                                                          : journey.error);
}

Cluster of(std::string_view entries, const std::vector<std::string_view>& versions) {
    std::string yaml = channel_yaml("p", "stable", entries);
    for (const std::string_view version : versions) yaml += bundle_yaml("p", version);
    Cluster cluster;
    cluster.add("c", yaml);
    return cluster;
}

const InstalledBundle first{"p.v1.0.0", "1.0.0", std::nullopt};

std::string table(const Cluster& cluster) {
    ThreadPool pool(2);
    std::string text;
    for (const Fate& fate : fates({.package = "p"}, cluster.catalogs, pool))
        text += fmt::format("{}: {}{}\n", fate.installed.name,
                            fate.kind == Fate::Kind::stays   ? "stays"
                            : fate.kind == Fate::Kind::moves ? fate.choice->bundle->name()
                                                             : "stuck",
                            fate.why.empty() ? "" : fmt::format(" ({})", fate.why));
    return text;
}

} // namespace

TEST_CASE("a journey goes on until nothing moves") {
    const Cluster chain =
        of("{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}, {name: p.v1.2.0, replaces: p.v1.1.0}",
           {"1.0.0", "1.1.0", "1.2.0"});
    CHECK(way({.package = "p", .installed = first}, chain) == "p.v1.1.0 p.v1.2.0 stays");
    CHECK(way({.package = "p"}, chain) == "p.v1.2.0 stays");
    CHECK(way({.package = "p", .version = "<1.2", .installed = first}, chain) == "p.v1.1.0 stays");
}

TEST_CASE("a journey may fail on its way") {
    Cluster cluster;
    cluster.add(
        "c",
        channel_yaml(
            "p", "stable",
            "{name: p.v1.0.0}, {name: p.v2.0.0, replaces: p.v1.0.0}, {name: p.v3.0.0, replaces: p.v2.0.0}") +
            bundle_yaml("p", "2.0.0") +
            bundle_yaml("p", "3.0.0", "- {type: olm.constraint, value: {failureMessage: no}}\n"));
    CHECK(
        way({.package = "p", .installed = first}, cluster) ==
        "p.v2.0.0 validating bundle \"p.v3.0.0\": bundle \"p.v3.0.0\" has a dependency declared via property "
        "\"olm.constraint\" which is currently not supported");
}

TEST_CASE("a journey may lead down, where an edge leads there") {
    const Cluster cluster = of("{name: p.v1.0.0, skips: [p.v9.0.0]}", {"1.0.0"});
    CHECK(way({.package = "p", .installed = InstalledBundle{"p.v9.0.0", "9.0.0", {}}}, cluster) ==
          "p.v1.0.0 stays");
}

TEST_CASE("every journey ends, and each of its hops is what a single resolution gives") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        RandomCatalog random(seed);
        Cluster cluster;
        add_random(cluster, random);
        Request request = random.request();
        const Journey journey = travel(request, cluster.catalogs);
        for (const Hop& hop : journey.hops) {
            const Resolution resolution = resolve(request, cluster.catalogs);
            REQUIRE(resolution.choice);
            CHECK(resolution.choice->bundle == hop.choice.bundle);
            request.installed =
                InstalledBundle{std::string(hop.choice.bundle->name()), hop.choice.version, std::nullopt};
        }
    }
}

TEST_CASE("the table tells of each version what becomes of it") {
    const Cluster cluster = of("{name: p.v1.0.0}, {name: p.v1.1.0}, {name: p.v1.2.0, replaces: p.v1.1.0}",
                               {"1.0.0", "1.1.0", "1.2.0"});
    CHECK(table(cluster) == "p.v1.0.0: stays (no edge leads to 1.2.0)\n"
                            "p.v1.1.0: p.v1.2.0 (replaces p.v1.1.0 (channel stable))\n"
                            "p.v1.2.0: stays\n");
}

TEST_CASE("two tables are compared by what is installed") {
    ThreadPool pool(1);
    const Cluster old = of("{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}", {"1.0.0", "1.1.0"});
    const Cluster now = of("{name: p.v1.0.0}, {name: p.v1.2.0, replaces: p.v1.1.0}", {"1.0.0", "1.2.0"});
    const auto before = fates({.package = "p"}, old.catalogs, pool);
    const auto after = fates({.package = "p"}, now.catalogs, pool);
    const auto changes = compare(before, after);
    REQUIRE(changes.size() == 3);
    CHECK(changes[0].kind == FateChange::Kind::changed); // 1.0.0 moved to 1.1.0, and now has no way on
    CHECK(changes[0].is_worse());
    CHECK(changes[1].kind == FateChange::Kind::added);
    CHECK(changes[2].kind == FateChange::Kind::removed);
    CHECK(changes[2].before->installed.name == "p.v1.1.0");
}
