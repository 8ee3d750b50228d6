#include "catalogs.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::string max_of(std::string_view properties) {
    Cluster cluster;
    cluster.add("c", bundle_yaml("p", "1.0.0", properties));
    const auto max = max_openshift_version(*cluster.catalogs[0].index->find("p")->bundles[0].bundle);
    return !max ? max.error() : *max ? (*max)->to_string() : "none";
}

std::string property(std::string_view value) {
    return fmt::format("- type: olm.maxOpenShiftVersion\n  value: {}\n", value);
}

std::string annotation(std::string_view properties) {
    return fmt::format("- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.properties: '{}'\n",
                       properties);
}

} // namespace

TEST_CASE("the value is major.minor, as text or as a number") {
    constexpr std::string_view in = "error in bundle p.v1.0.0: error converting to semver for version ";
    CHECK(max_of("") == "none");
    CHECK(max_of(property("\"4.18\"")) == "4.18");
    CHECK(max_of(property("4.18")) == "4.18");
    CHECK(max_of(property("\"v4.18\"")) == std::string(in) + "\"v4.18\": invalid version format");
    CHECK(max_of(property("\"4.18.0\"")) == std::string(in) + "\"4.18.0\": invalid version format");
    CHECK(max_of(property("\"four.x\"")) ==
          std::string(in) + "\"four.x\": Invalid character(s) found in major number \"0four\"");
    CHECK(max_of(property("5")) ==
          std::string(in) + "5: invalid semver format \"5\": expected <major>.<minor>");
    CHECK(max_of(property("true")) ==
          std::string(in) + "true: invalid type bool for olm.maxOpenshiftVersion: true");
    CHECK(max_of(property("[1]")) ==
          std::string(in) + "[1]: invalid type []interface {} for olm.maxOpenshiftVersion: [1]");
    CHECK(max_of(property("\"4.18\"") + property("\"4.19\"")) ==
          "error in bundle p.v1.0.0: more than one olm.maxOpenShiftVersion found in bundle");
}

TEST_CASE("a number counts only in the digits of major.minor") {
    // In an annotation numbers keep their spelling.
    const auto of_number = [](std::string_view text) {
        return max_of(
            annotation(fmt::format(R"([{{"type": "olm.maxOpenShiftVersion", "value": {}}}])", text)));
    };
    for (const std::string_view good : {"4.18", "4.0", "14.10"}) CHECK(of_number(good) == good);
    for (const std::string_view bad : {"4", "0.5", "-4.1", "4.1e1", "4.01"}) {
        CAPTURE(bad);
        CHECK(of_number(bad) ==
              fmt::format("error in bundle p.v1.0.0: error converting to semver for version {0}: "
                          "invalid semver format \"{0}\": expected <major>.<minor>",
                          bad));
    }
}

TEST_CASE("the annotation olm.properties of the CSV is used if there is no property") {
    const std::string of_csv = annotation(R"([{"type": "olm.maxOpenShiftVersion", "value": "4.17"}])");
    CHECK(max_of(of_csv) == "4.17");
    CHECK(max_of("- {type: without-value}\n" + of_csv) == "4.17");
    CHECK(max_of(annotation(R"([{"type": "olm.maxOpenShiftVersion", "value": 4.10}])")) == "4.10");
    // Go decodes the text in its order.
    CHECK(max_of(annotation(
              R"([{"type": "x", "Type": "olm.maxOpenShiftVersion", "value": "4.16", "Value": "4.17"}])")) ==
          "4.17");
    CHECK(max_of(of_csv + property("\"4.18\"")) == "4.18");
    // Without olm.csv.metadata it is that of the CSV itself, wherever that comes among the manifests.
    const auto object = [](std::string_view kind, std::string_view max) {
        return fmt::format(
            "- type: olm.bundle.object\n  value: {{data: {}}}\n",
            encode_base64(fmt::format(
                R"({{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "{}", "metadata": {{"name": "p", )"
                R"("annotations": {{"olm.properties": "[{{\"type\":\"olm.maxOpenShiftVersion\",\"value\":\"{}\"}}]"}}}}}})",
                kind, max)));
    };
    CHECK(max_of(object("ConfigMap", "4.15") + object("ClusterServiceVersion", "4.16")) == "4.16");
    CHECK(max_of(object("ConfigMap", "4.15")) == "none");
    CHECK(max_of(annotation("[]")) == "none");
    for (const std::string_view bad : {"[] 1", "{}", "7"}) {
        CAPTURE(bad);
        CHECK(max_of(annotation(bad)) == "error in bundle p.v1.0.0: could not convert olm.properties: failed "
                                         "to unmarshal properties annotation: it "
                                         "is not a list of properties");
    }
    CHECK(max_of(annotation("{"))
              .starts_with("error in bundle p.v1.0.0: could not convert olm.properties: failed to "
                           "unmarshal properties annotation: "));
}

TEST_CASE("the remedy is the nearest upgrade along edges, or else a forced one") {
    const auto bundle = [](std::string_view version, std::string_view max) {
        return bundle_yaml("p", version, max.empty() ? std::string() : property(fmt::format("\"{}\"", max)));
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
        return check_upgrade({&cluster.catalogs[0], &package, &package.bundles[bundle_index]}, version);
    };
    CHECK(check(0, {4, 15}).kind == UpgradeBlock::Kind::none);
    const UpgradeBlock one_hop = check(0, {4, 16});
    REQUIRE(one_hop.way_out.size() == 1);
    CHECK(one_hop.way_out[0]->name() == "p.v1.1.0");
    CHECK(check(0, {4, 17}).way_out.size() == 2);
    CHECK(one_hop.kind == UpgradeBlock::Kind::blocks);
    const UpgradeBlock forced = check(0, {4, 18});
    CHECK(forced.way_out.empty());
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
    const UpgradeBlock to_three = check_upgrade({&choice.catalogs[0], &many, &many.bundles[0]}, {4, 18});
    CHECK(to_three.way_out.empty());
    REQUIRE(to_three.forced);
    CHECK(to_three.forced == &many.bundles[4]);

    // Another bundle of the version is an upgrade, too; a release does not make it another version.
    Cluster same;
    same.add("c",
             "---\nschema: olm.bundle\npackage: p\nname: p.r1\nimage: i\nproperties:\n- type: olm.package\n"
             "  value: {packageName: p, version: 1.0.0, release: r1}\n" +
                 property("\"4.16\"") + bundle("1.0.0", ""));
    const PackageGraph& releases = *same.catalogs[0].index->find("p");
    const UpgradeBlock to_same = check_upgrade({&same.catalogs[0], &releases, &releases.bundles[0]}, {4, 18});
    REQUIRE(to_same.way_out.size() == 1);
    CHECK(to_same.way_out[0]->name() == "p.v1.0.0");
}

TEST_CASE("a bundle with an invalid value blocks the upgrade of the cluster until it is replaced") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable", "{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}") +
                         bundle_yaml("p", "1.0.0", property("\"v4\"")) + bundle_yaml("p", "1.1.0", ""));
    const PackageGraph& package = *cluster.catalogs[0].index->find("p");
    const UpgradeBlock block = check_upgrade({&cluster.catalogs[0], &package, &package.bundles[0]}, {4, 16});
    CHECK(block.kind == UpgradeBlock::Kind::invalid);
    CHECK(block.error ==
          "error in bundle p.v1.0.0: error converting to semver for version \"v4\": invalid version format");
    REQUIRE(block.way_out.size() == 1);
    CHECK(block.way_out[0]->name() == "p.v1.1.0");
}
