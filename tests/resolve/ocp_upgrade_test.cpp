#include "catalogs.hpp"
#include "opcat/resolve/v1/ocp_upgrade.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::string max_property(std::string_view value) {
    return fmt::format("- type: olm.maxOpenShiftVersion\n  value: {}\n", value);
}

std::string names_of(const std::optional<UpgradeBlock::WayOut>& way) {
    if (!way) return "no way";
    std::string names(way->channel);
    for (const PackageBundle* bundle : way->steps) names += fmt::format(" {}", bundle->name());
    return names;
}

} // namespace

TEST_CASE("the remedy is the nearest upgrade along edges, or else a forced one") {
    const auto bundle = [](std::string_view version, std::string_view max) {
        return bundle_yaml("p", version,
                           max.empty() ? std::string() : max_property(fmt::format("\"{}\"", max)));
    };
    Cluster cluster;
    cluster.add("c", channel_yaml(
                         "p", "stable",
                         "{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}, {name: p.v1.2.0, replaces: "
                         "p.v1.1.0}, {name: p.v3.0.0}") +
                         bundle("1.0.0", "4.16") + bundle("1.1.0", "4.17") + bundle("1.2.0", "4.18") +
                         bundle("3.0.0", ""));
    const PackageGraph& package = *cluster.catalogs[0].index->find("p");
    const auto check = [&](size_t bundle_index, MinorVersion version) {
        return check_upgrade({&cluster.catalogs[0], &package, &package.bundles[bundle_index]}, version, {},
                             {});
    };
    CHECK(check(0, {4, 15}).kind == UpgradeBlock::Kind::none);
    const UpgradeBlock one_hop = check(0, {4, 16});
    CHECK(names_of(one_hop.v1) == " p.v1.1.0");
    CHECK(names_of(one_hop.classic) == "no way"); // the channel has two heads
    CHECK(names_of(check(0, {4, 17}).v1) == " p.v1.1.0 p.v1.2.0");
    CHECK(one_hop.kind == UpgradeBlock::Kind::blocks);
    const UpgradeBlock forced = check(0, {4, 18});
    CHECK(names_of(forced.v1) == "no way");
    CHECK(names_of(forced.classic) == "no way");
    REQUIRE(forced.forced);
    CHECK(forced.forced->name() == "p.v3.0.0");

    // Neither one that needs others, nor one that holds the cluster back, nor one of no version, nor the
    // older of two.
    Cluster choice;
    choice.add("c", bundle("1.0.0", "4.16") + bundle("2.0.0", "") + bundle("5.0.0", "4.17") +
                        bundle_yaml("p", "6.0.0",
                                    "- type: olm.gvk.required\n  value: {group: g, kind: K, version: v1}\n") +
                        bundle("3.0.0", "4.20") + bundle("2.5.0", "") + bundle("latest", "") +
                        bundle("3.0.0", "4.20"));
    const PackageGraph& many = *choice.catalogs[0].index->find("p");
    const UpgradeBlock to_three =
        check_upgrade({&choice.catalogs[0], &many, &many.bundles[0]}, {4, 18}, {}, {});
    CHECK(names_of(to_three.v1) == "no way");
    REQUIRE(to_three.forced);
    CHECK(to_three.forced == &many.bundles[4]);

    // Another bundle of the version is an upgrade, too; a release does not make it another version.
    Cluster same;
    same.add("c",
             "---\nschema: olm.bundle\npackage: p\nname: p.r1\nimage: i\nproperties:\n- type: olm.package\n"
             "  value: {packageName: p, version: 1.0.0, release: r1}\n" +
                 max_property("\"4.16\"") + bundle("1.0.0", ""));
    const PackageGraph& releases = *same.catalogs[0].index->find("p");
    const UpgradeBlock to_same =
        check_upgrade({&same.catalogs[0], &releases, &releases.bundles[0]}, {4, 18}, {}, {});
    CHECK(names_of(to_same.v1) == " p.v1.0.0");
}

TEST_CASE("a bundle with an invalid value blocks the upgrade of the cluster until it is replaced") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable", "{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}") +
                         bundle_yaml("p", "1.0.0", max_property("\"v4\"")) + bundle_yaml("p", "1.1.0", ""));
    const PackageGraph& package = *cluster.catalogs[0].index->find("p");
    const UpgradeBlock block =
        check_upgrade({&cluster.catalogs[0], &package, &package.bundles[0]}, {4, 16}, {}, {});
    CHECK(block.kind == UpgradeBlock::Kind::invalid);
    CHECK(block.error ==
          "error in bundle p.v1.0.0: error converting to semver for version \"v4\": invalid version format");
    CHECK(names_of(block.v1) == " p.v1.1.0");
}

TEST_CASE("an upgrade that OLM classic runs past, to one that blocks again, is said") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable",
                                  "{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}, {name: p.v1.2.0, "
                                  "replaces: p.v1.1.0}, {name: p.v1.3.0, replaces: p.v1.2.0}") +
                         bundle_yaml("p", "1.0.0", max_property("\"4.19\"")) +
                         bundle_yaml("p", "1.1.0", max_property("\"4.20\"")) +
                         bundle_yaml("p", "1.2.0", max_property("\"4.20\"")) +
                         bundle_yaml("p", "1.3.0", max_property("\"4.19\"")));
    const PackageGraph& package = *cluster.catalogs[0].index->find("p");
    const InstalledOperator installed{&cluster.catalogs[0], &package, &package.bundles[0]};
    const UpgradeBlock block = check_upgrade(installed, {4, 19}, {}, {});
    REQUIRE(block.classic);
    CHECK(names_of(block.classic) == "stable p.v1.1.0");
    REQUIRE(block.classic->beyond);
    CHECK(block.classic->beyond->name() == "p.v1.3.0");
    CHECK_FALSE(
        check_upgrade({&cluster.catalogs[0], &package, &package.bundles[1]}, {4, 19}, {}, {}).classic);
}

TEST_CASE("OLM classic upgrades bundles that have dependencies, and OLM v1 does not") {
    Cluster cluster;
    const std::string required =
        "- type: olm.package.required\n  value: {packageName: q, versionRange: \">=1.0.0\"}\n";
    cluster.add("c", channel_yaml("p", "stable", "{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}") +
                         channel_yaml("p", "fast", "{name: p.v1.1.0, skips: [p.v1.0.0]}") +
                         bundle_yaml("p", "1.0.0", max_property("\"4.19\"") + required) +
                         bundle_yaml("p", "1.1.0", max_property("\"4.20\"") + required));
    const PackageGraph& package = *cluster.catalogs[0].index->find("p");
    const InstalledOperator installed{&cluster.catalogs[0], &package, &package.bundles[0]};
    const UpgradeBlock both = check_upgrade(installed, {4, 19}, {}, {});
    CHECK(names_of(both.classic) == "stable p.v1.1.0");
    CHECK(names_of(both.v1) == "no way");
    CHECK_FALSE(both.forced);
    CHECK(names_of(check_upgrade(installed, {4, 19}, {.classic = false}, {}).classic) == "no way");
}

TEST_CASE("an operator that the next version's catalogs leave alone is gone there") {
    Cluster here, there;
    here.add("c", channel_yaml("p", "stable", "{name: p.v1.0.0}") + bundle_yaml("p", "1.0.0"));
    const PackageGraph& package = *here.catalogs[0].index->find("p");
    const InstalledOperator installed{&here.catalogs[0], &package, &package.bundles[0]};
    there.add("same", channel_yaml("p", "stable", "{name: p.v1.0.0}") + bundle_yaml("p", "1.0.0"));
    there.add("successor",
              channel_yaml("p", "stable", "{name: p.v2.0.0, skipRange: <2.0.0}") + bundle_yaml("p", "2.0.0"));
    there.add("other", channel_yaml("q", "stable", "{name: q.v1.0.0}") + bundle_yaml("q", "1.0.0"));
    there.add("later", channel_yaml("p", "stable", "{name: p.v2.0.0}") + bundle_yaml("p", "2.0.0"));
    const auto in = [&](size_t begin, size_t count) {
        return check_upgrade(installed, {4, 19}, {}, std::span(there.catalogs).subspan(begin, count));
    };
    CHECK(in(0, 0).kind == UpgradeBlock::Kind::none);
    CHECK(in(0, 1).kind == UpgradeBlock::Kind::none);
    CHECK(in(1, 1).kind == UpgradeBlock::Kind::none);
    CHECK(in(1, 2).kind == UpgradeBlock::Kind::none);
    CHECK(in(2, 1).error == "the catalogs of OpenShift 4.20 do not have its package");
    CHECK(in(2, 2).error ==
          "the catalogs of OpenShift 4.20 have its package, but neither this version nor an upgrade from it");
    CHECK(in(3, 1).kind == UpgradeBlock::Kind::gone);
}
