// Covers lib/cluster/package_search.cpp; tests/cluster/test_catalogs.py has the command.
#include "../load_text.hpp"
#include "opcat/cluster/package_search.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

TEST_CASE("packages of OLM classic are found by their names, with versions that can be read first") {
    PackageManifest manifest;
    manifest.package = "prometheus";
    manifest.catalog = "community";
    manifest.catalog_ns = "olm";
    manifest.display_name = "Metrics\x1b";
    manifest.default_channel = "beta";
    PackageChannel& channel = manifest.channels.emplace_back();
    channel.name = "beta";
    channel.head = "p.v2";
    channel.entries = {{.name = "p.odd", .version = "?"},
                       {.name = "p.v1", .version = "1.0.0"},
                       {.name = "p.v2", .version = "2.0.0"}};
    PackageChannel& old = manifest.channels.emplace_back();
    old.name = "old";
    old.head = "p.v1";

    CHECK(find_packages(std::span(&manifest, 1), "etcd", false).empty());
    CHECK(find_packages(std::span(&manifest, 1), "metr", false).size() == 1);
    const auto hits = find_packages(std::span(&manifest, 1), "PROM", true);
    CHECK(hits_as_rows(hits) ==
          "PACKAGE\tCATALOG\tOLM\tHEAD\tCHANNELS\nprometheus\tolm/community\tclassic\tp.v2\tbeta*,old\n");
    CHECK(versions_as_rows(hits) == "PACKAGE\tCATALOG\tOLM\tVERSION\tBUNDLE\tCHANNELS\tDEPRECATED\n"
                                    "prometheus\tolm/community\tclassic\t2.0.0\tp.v2\tbeta\t-\n"
                                    "prometheus\tolm/community\tclassic\t1.0.0\tp.v1\tbeta,old\t-\n"
                                    "prometheus\tolm/community\tclassic\t?\tp.odd\tbeta\t-\n");
}

TEST_CASE("packages of OLM v1 have what would be installed as their head") {
    const olmv1::CatalogIndex index(
        load_text(
            "{schema: olm.package, name: foo}\n---\n"
            "{schema: olm.channel, package: foo, name: a, entries: [{name: foo.v1}, {name: foo.v2, replaces: "
            "foo.v1}]}\n"
            "---\n{schema: olm.bundle, package: foo, name: foo.v1, image: r.example/foo:v1, properties: "
            "[{type: olm.package, value: {packageName: foo, version: 1.0.0}}]}\n"
            "---\n{schema: olm.bundle, package: foo, name: foo.v2, image: r.example/foo:v2, properties: "
            "[{type: olm.package, value: {packageName: foo, version: 2.0.0}}]}\n")
            .catalog);
    const olmv1::NamedCatalog catalog{"c", &index, 0, {}, false};
    auto hits = find_packages(std::span(&catalog, 1), "", true);
    REQUIRE(hits.size() == 1);
    CHECK(hits[0].head == "foo.v2");
    CHECK(hits[0].versions.size() == 2);
    hits.push_back(hits[0]);
    hits[1].catalog = "a";
    sort_hits(hits);
    CHECK(hits[0].catalog == "a");
}
