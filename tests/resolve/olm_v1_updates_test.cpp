// Every example of OpenShift's documentation on updates with OLM v1.
#include "catalogs.hpp"
#include "opcat/resolve/v1/cluster_extension.hpp"
#include "opcat/resolve/v1/ocp_upgrade.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

// The versions that a range contains.
std::string versions_in(std::string_view range, const std::vector<std::string>& versions) {
    Cluster cluster;
    std::string found;
    for (const std::string& version : versions) {
        cluster.catalogs.clear();
        cluster.add("c", bundle_yaml("example", version));
        Request request{.package = "example", .version = std::string(range)};
        if (resolve(request, cluster.catalogs).choice) found += (found.empty() ? "" : " ") + version;
    }
    return found;
}

// Versions around all limits in the tables.
const std::vector<std::string> borders = {"0.0.0",  "0.0.2",  "0.0.3",  "0.0.4",  "0.1.0",  "0.2.0",
                                          "0.2.3",  "0.3.0",  "0.9.0",  "1.0.0",  "1.1.0",  "1.2.0",
                                          "1.2.3",  "1.10.9", "1.11.0", "1.11.1", "1.11.9", "1.12.0",
                                          "1.12.7", "1.13.0", "2.0.0",  "2.3.0",  "2.9.0",  "3.0.0"};

struct SameRange {
    std::string_view written;
    std::string_view means;
};

void check_same(std::initializer_list<SameRange> rows) {
    for (const auto& [written, means] : rows) {
        CAPTURE(written);
        CHECK(versions_in(written, borders) == versions_in(means, borders));
    }
}

std::string extension(std::string_view catalog_fields) {
    return fmt::format(
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata:\n  name: example\n"
        "spec:\n  namespace: example-ns\n  serviceAccount:\n    name: example-installer\n  source:\n"
        "    sourceType: Catalog\n    catalog:\n      packageName: example\n{}",
        catalog_fields);
}

Request request_of(std::string_view catalog_fields) {
    Diagnostics problems;
    const SourceFile file("extension.yaml", extension(catalog_fields));
    auto extensions = read_cluster_extensions(file, {}, problems);
    REQUIRE(problems.empty());
    REQUIRE(extensions.size() == 1);
    REQUIRE(extensions[0].findings.empty());
    return extensions[0].request;
}

// Versions 1.11.0 to 1.13.0 and 2.0.0, in channels latest (all of 1) and next (all).
Cluster versions_of_example() {
    std::string yaml =
        channel_yaml("example", "latest",
                     "{name: example.v1.11.0}, {name: example.v1.11.1, replaces: example.v1.11.0}, "
                     "{name: example.v1.12.0, replaces: example.v1.11.1}");
    yaml += channel_yaml("example", "next", "{name: example.v2.0.0}");
    for (const std::string_view version : {"1.11.0", "1.11.1", "1.12.0", "2.0.0"})
        yaml += bundle_yaml("example", version);
    Cluster cluster;
    cluster.add("c", yaml);
    return cluster;
}

} // namespace

TEST_CASE("Differences from OLM Classic: of several successors the highest version is chosen") {
    Cluster cluster;
    cluster.add("c",
                channel_yaml("example", "stable",
                             "{name: example.v1.0.0}, {name: example.v1.2.0, replaces: example.v1.0.0}, "
                             "{name: example.v1.1.0, skips: [example.v1.0.0], replaces: example.v1.2.0}") +
                    bundle_yaml("example", "1.0.0") + bundle_yaml("example", "1.1.0") +
                    bundle_yaml("example", "1.2.0"));
    CHECK(answer({.package = "example", .installed = InstalledBundle{"example.v1.0.0", "1.0.0", {}}},
                 cluster) == "example.v1.2.0");
}

TEST_CASE("Differences from OLM Classic: a skipped bundle is an update all the same") {
    Cluster cluster;
    cluster.add("c", channel_yaml("example", "stable",
                                  "{name: example.v3.0.0, skips: [example.v2.0.0]}, "
                                  "{name: example.v2.0.0, skipRange: \">=1.0.0 <2.0.0\"}") +
                         bundle_yaml("example", "2.0.0") + bundle_yaml("example", "3.0.0"));
    CHECK(answer({.package = "example", .installed = InstalledBundle{"example.v1.0.0", "1.0.0", {}}},
                 cluster) == "example.v2.0.0");
}

TEST_CASE("Table 1. Basic comparisons") {
    const std::vector<std::string> versions = {"1.0.0", "1.1.0", "1.2.0"};
    CHECK(versions_in("=1.1.0", versions) == "1.1.0");
    CHECK(versions_in("!=1.1.0", versions) == "1.0.0 1.2.0");
    CHECK(versions_in(">1.1.0", versions) == "1.2.0");
    CHECK(versions_in("<1.1.0", versions) == "1.0.0");
    CHECK(versions_in(">=1.1.0", versions) == "1.1.0 1.2.0");
    CHECK(versions_in("<=1.1.0", versions) == "1.0.0 1.1.0");
}

TEST_CASE("Example version range comparison") {
    CHECK(versions_in(">=1.11, <1.13", borders) == "1.11.0 1.11.1 1.11.9 1.12.0 1.12.7");
}

TEST_CASE("Table 2. Example wildcard characters in comparison strings") {
    check_same(
        {{"1.11.x", ">=1.11.0, <1.12.0"}, {">=1.12.X", ">=1.12.0"}, {"<=2.x", "<3"}, {"*", ">=0.0.0"}});
}

TEST_CASE("Table 3. Example patch release comparisons") {
    check_same({{"~1.11.0", ">=1.11.0, <1.12.0"},
                {"~1", ">=1, <2"},
                {"~1.12", ">=1.12, <1.13"},
                {"~1.12.x", ">=1.12.0, <1.13.0"},
                {"~1.x", ">=1, <2"}});
}

TEST_CASE("Table 4. Example major release comparisons") {
    check_same({{"^0", ">=0.0.0, <1.0.0"},
                {"^0.0", ">=0.0.0, <0.1.0"},
                {"^0.0.3", ">=0.0.3, <0.0.4"},
                {"^0.2", ">=0.2.0, <0.3.0"},
                {"^0.2.3", ">=0.2.3, <0.3.0"},
                {"^1.2.x", ">= 1.2.0, < 2.0.0"},
                {"^1.2.3", ">= 1.2.3, < 2.0.0"},
                {"^2.x", ">= 2.0.0, < 3"},
                {"^2.3", ">= 2.3, < 3"}});
}

TEST_CASE("Example CR with a specified channel: the latest of the channel") {
    CHECK(answer(request_of("      channels:\n      - latest\n"), versions_of_example()) ==
          "example.v1.12.0");
}

TEST_CASE("Example CR with the target version specified: it stays there") {
    Request request = request_of("      version: \"1.11.1\"\n");
    const Cluster cluster = versions_of_example();
    CHECK(answer(request, cluster) == "example.v1.11.1");
    request.installed = {"example.v1.11.1", "1.11.1", {}};
    CHECK(answer(request, cluster) == "example.v1.11.1");
}

TEST_CASE("Example CR with a version range specified: the latest in the range") {
    const Request request = request_of("      version: \">1.11.1\"\n");
    CHECK(answer(request, versions_of_example()) == "example.v2.0.0");
}

TEST_CASE("Forcing an update or rollback: SelfCertified allows what CatalogProvided does not") {
    const Cluster cluster = versions_of_example();
    const std::string pinned = "      channels:\n      - latest\n      version: \"1.11.0\"\n";
    Request request = request_of(pinned);
    request.installed = {"example.v1.12.0", "1.12.0", {}};
    CHECK(answer(request, cluster) ==
          "error upgrading from currently installed version \"1.12.0\": no bundles found "
          "for package \"example\" matching version \"1.11.0\" in channels [latest]");
    request = request_of(pinned + "      upgradeConstraintPolicy: SelfCertified\n");
    request.installed = {"example.v1.12.0", "1.12.0", {}};
    CHECK(answer(request, cluster) == "example.v1.11.0");
}

TEST_CASE("No automatic updates to the next major version") {
    Request request = request_of("");
    request.installed = {"example.v1.12.0", "1.12.0", {}};
    CHECK(answer(request, versions_of_example()) == "example.v1.12.0");
}

TEST_CASE("Example CSV with olm.maxOpenShiftVersion annotation") {
    Cluster cluster;
    cluster.add("c",
                bundle_yaml("example", "1.0.0",
                            "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.properties: "
                            "'[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.18\"}]'\n"));
    const PackageGraph* package = cluster.catalogs[0].index->find("example");
    const InstalledOperator installed{&cluster.catalogs[0], package, &package->bundles[0]};
    CHECK(check_upgrade(installed, {4, 17}, {}, {}).kind == UpgradeBlock::Kind::none);
    CHECK(check_upgrade(installed, {4, 18}, {}, {}).kind == UpgradeBlock::Kind::blocks);
}

TEST_CASE("Compatibility with OpenShift: without the field updates are not blocked") {
    Cluster cluster;
    cluster.add("c", bundle_yaml("example", "1.0.0"));
    const PackageGraph* package = cluster.catalogs[0].index->find("example");
    CHECK(check_upgrade({&cluster.catalogs[0], package, &package->bundles[0]}, {4, 99}, {}, {}).kind ==
          UpgradeBlock::Kind::none);
}

TEST_CASE("Compatibility with OpenShift: patch and prerelease do not count for the next minor version") {
    CHECK(next_version(*minor_version_of_cluster("4.18.0")).to_string() == "4.19");
    CHECK(next_version(*minor_version_of_cluster("4.18.0-rc1")).to_string() == "4.19");
    CHECK(next_version(*minor_version_of_cluster("4.18.3")).to_string() == "4.19");
}
