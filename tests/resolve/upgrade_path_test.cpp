#include "opcat/resolve/v1/upgrade_path.hpp"
#include "random_catalog.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::string way(const Request& request, const Cluster& cluster) {
    const UpgradePath path = follow_upgrades(request, cluster.catalogs);
    std::string text;
    for (const UpgradePath::Step& step : path.steps) text += fmt::format("{} ", step.choice.bundle->name());
    return text + (path.end == UpgradePath::End::stays     ? "stays"
                   : path.end == UpgradePath::End::circles ? "circles"
                                                           : path.error);
}

Cluster of(std::string_view entries, const std::vector<std::string_view>& versions) {
    std::string yaml = channel_yaml("p", "stable", entries);
    for (const std::string_view version : versions) yaml += bundle_yaml("p", version);
    Cluster cluster;
    cluster.add("c", yaml);
    return cluster;
}

const InstalledBundle oldest{"p.v1.0.0", "1.0.0", std::nullopt};

std::string table(const Cluster& cluster) {
    ThreadPool pool(2);
    std::string text;
    for (const UpgradeOutcome& outcome : upgrade_outcomes({.package = "p"}, cluster.catalogs, pool))
        text += fmt::format("{}: {}{}\n", outcome.installed.name,
                            outcome.kind == UpgradeOutcome::Kind::stays   ? "stays"
                            : outcome.kind == UpgradeOutcome::Kind::moves ? outcome.choice->bundle->name()
                                                                          : "stuck",
                            outcome.why.empty() ? "" : fmt::format(" ({})", outcome.why));
    return text;
}

} // namespace

TEST_CASE("automatic upgrades continue until nothing changes") {
    const Cluster chain =
        of("{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}, {name: p.v1.2.0, replaces: p.v1.1.0}",
           {"1.0.0", "1.1.0", "1.2.0"});
    CHECK(way({.package = "p", .installed = oldest}, chain) == "p.v1.1.0 p.v1.2.0 stays");
    CHECK(way({.package = "p"}, chain) == "p.v1.2.0 stays");
    CHECK(way({.package = "p", .version = "<1.2", .installed = oldest}, chain) == "p.v1.1.0 stays");
}

TEST_CASE("automatic upgrades may fail") {
    Cluster cluster;
    cluster.add(
        "c",
        channel_yaml(
            "p", "stable",
            "{name: p.v1.0.0}, {name: p.v2.0.0, replaces: p.v1.0.0}, {name: p.v3.0.0, replaces: p.v2.0.0}") +
            bundle_yaml("p", "2.0.0") +
            bundle_yaml("p", "3.0.0", "- {type: olm.constraint, value: {failureMessage: no}}\n"));
    CHECK(
        way({.package = "p", .installed = oldest}, cluster) ==
        "p.v2.0.0 validating bundle \"p.v3.0.0\": bundle \"p.v3.0.0\" has a dependency declared via property "
        "\"olm.constraint\" which is currently not supported");
}

TEST_CASE("automatic upgrades may lead to lower versions, where an edge leads there") {
    const Cluster cluster = of("{name: p.v1.0.0, skips: [p.v9.0.0]}", {"1.0.0"});
    CHECK(way({.package = "p", .installed = InstalledBundle{"p.v9.0.0", "9.0.0", {}}}, cluster) ==
          "p.v1.0.0 stays");
}

TEST_CASE("automatic upgrades always end, and each step is what a single resolution gives") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        RandomCatalog random(seed);
        Cluster cluster;
        add_random(cluster, random);
        Request request = random.request();
        const UpgradePath path = follow_upgrades(request, cluster.catalogs);
        for (const UpgradePath::Step& step : path.steps) {
            const Resolution resolution = resolve(request, cluster.catalogs);
            REQUIRE(resolution.choice);
            CHECK(resolution.choice->bundle == step.choice.bundle);
            request.installed =
                InstalledBundle{std::string(step.choice.bundle->name()), step.choice.version, std::nullopt};
        }
    }
}

TEST_CASE("the table shows the upgrades of each version") {
    const Cluster cluster = of("{name: p.v1.0.0}, {name: p.v1.1.0}, {name: p.v1.2.0, replaces: p.v1.1.0}",
                               {"1.0.0", "1.1.0", "1.2.0"});
    CHECK(table(cluster) == "p.v1.0.0: stays (no edge leads to 1.2.0)\n"
                            "p.v1.1.0: p.v1.2.0 (replaces p.v1.1.0 (channel stable))\n"
                            "p.v1.2.0: stays\n");
}

TEST_CASE("the table has the versions of all catalogs that can be asked") {
    Cluster cluster;
    for (const char* const version : {"1.0.0", "2.0.0", "3.0.0"})
        cluster.add(fmt::format("c{}", version[0]),
                    channel_yaml("p", "stable", fmt::format("{{name: p.v{}}}", version)) +
                        bundle_yaml("p", version));
    cluster.catalogs[0].unavailable = true;
    CHECK(table(cluster).find("p.v1.0.0: ") == std::string::npos);
    CHECK(table(cluster).find("p.v2.0.0: ") != std::string::npos);
    CHECK(table(cluster).find("p.v3.0.0: ") != std::string::npos);
}

TEST_CASE("two tables are compared by what is installed") {
    ThreadPool pool(1);
    const Cluster old = of("{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}", {"1.0.0", "1.1.0"});
    const Cluster now = of("{name: p.v1.0.0}, {name: p.v1.2.0, replaces: p.v1.1.0}", {"1.0.0", "1.2.0"});
    const auto before = upgrade_outcomes({.package = "p"}, old.catalogs, pool);
    const auto after = upgrade_outcomes({.package = "p"}, now.catalogs, pool, before);
    const auto changes = compare(before, after);
    REQUIRE(changes.size() == 3);
    CHECK(changes[0].kind == OutcomeChange::Kind::changed); // 1.0.0 moved to 1.1.0, and now has no upgrade
    CHECK(changes[0].is_worse());
    CHECK(changes[1].kind == OutcomeChange::Kind::added);
    CHECK(changes[2].kind == OutcomeChange::Kind::removed);
    CHECK(changes[2].before->installed.name == "p.v1.1.0");
    CHECK(changes[2].after->kind == UpgradeOutcome::Kind::moves); // whoever has it is upgraded all the same
    CHECK_FALSE(changes[2].is_worse());
}

TEST_CASE("an outcome stays the same if the operator is upgraded to the same bundle in the same version") {
    const auto cluster = [](std::string_view second, std::string_view version) {
        Cluster one;
        one.add("c",
                channel_yaml("p", "a",
                             fmt::format("{{name: p.v1.0.0}}, {{name: {}, replaces: p.v1.0.0}}", second)) +
                    bundle_yaml("p", "1.0.0") +
                    fmt::format("---\nschema: olm.bundle\npackage: p\nname: {}\nimage: i\nproperties:\n"
                                "- {{type: olm.package, value: {{packageName: p, version: {}}}}}\n",
                                second, version));
        return one;
    };
    const Cluster before = cluster("p.b", "2.0.0");
    const struct {
        std::string_view second, version;
        bool same;
    } cases[] = {
        {"p.b", "2.0.0", true}, {"p.c", "2.0.0", false}, {"p.b", "3.0.0", false}, {"p.b", "0.5.0", false}};
    ThreadPool pool(1);
    const auto old = upgrade_outcomes({.package = "p"}, before.catalogs, pool);
    for (const auto& c : cases) {
        CAPTURE(c.second);
        CAPTURE(c.version);
        const Cluster after = cluster(c.second, c.version);
        const auto now = upgrade_outcomes({.package = "p"}, after.catalogs, pool, old);
        const auto changes = compare(old, now);
        const auto of_first = std::find_if(changes.begin(), changes.end(), [](const OutcomeChange& change) {
            return change.after->installed.name == "p.v1.0.0";
        });
        REQUIRE(of_first != changes.end());
        CHECK((of_first->kind == OutcomeChange::Kind::same) == c.same);
    }
}

TEST_CASE("an outcome is worse if an operator is upgraded no more, or gets stuck") {
    using Kind = UpgradeOutcome::Kind;
    const Kind by_rank[] = {Kind::stuck, Kind::stays, Kind::moves};
    for (size_t before = 0; before < 3; ++before) {
        for (size_t after = 0; after < 3; ++after) {
            UpgradeOutcome was;
            UpgradeOutcome is;
            was.kind = by_rank[before];
            is.kind = by_rank[after];
            CHECK(OutcomeChange{OutcomeChange::Kind::changed, &was, &is}.is_worse() == (after < before));
            CHECK_FALSE(OutcomeChange{OutcomeChange::Kind::added, nullptr, &is}.is_worse());
            CHECK(OutcomeChange{OutcomeChange::Kind::removed, &was, &is}.is_worse() == (after < before));
        }
    }
}

TEST_CASE("outcomes are listed by version, equal versions in the order of the catalogs") {
    Cluster cluster = of("{name: p.v2.0.0, replaces: p.v1.0.0}", {"2.0.0", "1.0.0"});
    cluster.add("d", bundle_yaml("p", "1.5.0") + bundle_yaml("p", "1.0.0") +
                         "---\nschema: olm.bundle\npackage: p\nname: p.another\nimage: i\nproperties:\n"
                         "- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n");
    ThreadPool pool(1);
    std::string names;
    for (const UpgradeOutcome& outcome : upgrade_outcomes({.package = "p"}, cluster.catalogs, pool))
        names += outcome.installed.name + " ";
    CHECK(names == "p.v1.0.0 p.another p.v1.5.0 p.v2.0.0 ");
}
