// lib/resolve/v1/installed.cpp: an installed bundle as users write it.
#include "catalogs.hpp"
#include "opcat/resolve/v1/installed.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::string with_release_field(std::string_view name, std::string_view release) {
    return fmt::format(
        "---\nschema: olm.bundle\npackage: p\nname: {0}\nimage: i\nproperties:\n- type: olm.package\n"
        "  value: {{packageName: p, version: 3.0.0, release: \"{1}\"}}\n",
        name, release);
}

// Catalogs without the package come first and last.
void add_catalogs(Cluster& cluster) {
    cluster.add("other", bundle_yaml("q", "9.0.0"));
    cluster.add("main", channel_yaml("p", "stable", "{name: p.v2.0.0, replaces: p.v1.0.0, skips: [p.gone]}") +
                            bundle_yaml("p", "1.0.0") + bundle_yaml("p", "2.0.0") +
                            with_release_field("p.r1", "r1") + with_release_field("p.r2", "r2") +
                            "---\nschema: olm.bundle\npackage: p\nname: p.bad\nimage: i\nproperties:\n"
                            "- {type: olm.package, value: {packageName: p, version: 1.x}}\n");
    cluster.add("again", bundle_yaml("p", "1.0.0") + bundle_yaml("p", "4.0.0"));
    cluster.add("last", bundle_yaml("q", "9.0.0"));
}

} // namespace

TEST_CASE("an installed bundle is found in any catalog, or used as it is written") {
    Cluster cluster;
    add_catalogs(cluster);
    const struct {
        std::string_view text;
        bool release_support;
        InstalledBundle installed;
    } cases[] = {
        {"p.v1.0.0", false, {"p.v1.0.0", "1.0.0", {}}},
        {"p.v4.0.0", false, {"p.v4.0.0", "4.0.0", {}}},
        {"2.0.0", false, {"p.v2.0.0", "2.0.0", {}}},
        {"v2", false, {"p.v2.0.0", "2.0.0", {}}},
        {"p@4.0.0", false, {"p.v4.0.0", "4.0.0", {}}},
        {"p.gone@0.9.0", false, {"p.gone", "0.9.0", {}}},
        {"p.bad", false, {"p.bad", "", {}}}, // OLM reports its version
        {"p.r2", false, {"p.r2", "3.0.0", {}}},
        {"p.r2", true, {"p.r2", "3.0.0", "r2"}},
        {"3.0.0,release=r2", true, {"p.r2", "3.0.0", "r2"}},
        {"p.r1,release=r1", true, {"p.r1", "3.0.0", "r1"}},
        {"p.gone@0.9.0,release=r7", true, {"p.gone", "0.9.0", "r7"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const Request request{.package = "p", .release_support = c.release_support};
        const InstalledBundle found = read_installed(c.text, request, cluster.catalogs);
        CHECK(found.name == c.installed.name);
        CHECK(found.version == c.installed.version);
        CHECK(found.release == c.installed.release);
    }
    for (const std::string_view text :
         {"p.unheard", "p.unheard@0.9.0", "p.gone", "8.0.0", "q@9.0.0", "p.v1.0.0,release=r7"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_installed(text, {.package = "p"}, cluster.catalogs), RequestError);
    }
    // No catalog knows the package.
    CHECK(read_installed("x.v1@1.0.0", {.package = "x"}, cluster.catalogs).version == "1.0.0");
}

TEST_CASE("an operator is found in any package of any catalog") {
    Cluster cluster;
    add_catalogs(cluster);
    const InstalledOperator four = find_operator("p.v4.0.0", cluster.catalogs).at(0);
    CHECK(four.catalog->name == "again");
    CHECK(four.package->name == "p");
    CHECK(four.bundle->name() == "p.v4.0.0");
    CHECK(find_operator("q@9.0.0", cluster.catalogs).at(0).package->name == "q");
    CHECK(find_operator("p.bad", cluster.catalogs).at(0).bundle->name() == "p.bad");
    cluster.add("builds", bundle_yaml("b", "1.0.0+1") + bundle_yaml("b", "1.0.0+2"));
    CHECK(find_operator("b@1.0.0+2", cluster.catalogs).at(0).bundle->name() == "b.v1.0.0+2");
    // A version that is not in the catalog, but near to one that is.
    try {
        find_operator("p@4.0.1", cluster.catalogs);
        FAIL("no bundle has this version");
    } catch (const RequestError& error) {
        CHECK(error.hint().find("4.0.0") != std::string::npos);
    }
    CHECK_THROWS_AS(find_operator("p.gone@0.9.0", cluster.catalogs), RequestError);
}
