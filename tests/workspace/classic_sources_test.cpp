#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/workspace/classic_sources.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

TEST_CASE("OLM classic does not serve a catalog that opm refuses") {
    const TemporaryDirectory directory("/tmp");
    const auto path_of = [&](const char* name) { return (directory.path() / name).string(); };
    write_file(path_of("good"), R"(
{schema: olm.package, name: shop, defaultChannel: stable}
---
{schema: olm.channel, package: shop, name: stable, entries: [{name: shop.v1.0.0}]}
---
{schema: olm.bundle, package: shop, name: shop.v1.0.0, image: registry.example/shop-bundle:v1,
 properties: [{type: olm.package, value: {packageName: shop, version: 1.0.0}}]}
)");
    write_file(path_of("bad"), "{schema: olm.package, name: shop, defaultChannel: no}");
    ThreadPool pool(1);
    ClassicSources sources({}, pool);
    sources.open({path_of("good"), path_of("bad"), path_of("good")});
    const auto good = sources.catalog({"olm", "good"}, path_of("good"));
    REQUIRE(good.snapshot != nullptr);
    CHECK(good.error.empty());
    CHECK(sources.catalog({"olm", "good"}, path_of("good")).snapshot == good.snapshot);
    CHECK(sources.catalog({"olm", "other"}, path_of("good")).snapshot != good.snapshot);
    CHECK(sources.errors(path_of("good")).empty());
    const auto bad = sources.catalog({"olm", "bad"}, path_of("bad"));
    CHECK(bad.snapshot == nullptr);
    CHECK(bad.error ==
          "failed to list bundles: rpc error: code = Unavailable desc = connection error: desc = "
          "\"transport: Error while dialing: dial tcp 127.0.0.1:50051: connect: connection "
          "refused\"");
    CHECK(sources.errors(path_of("bad")).size() == 1);
    CHECK_THROWS_AS((void)sources.catalog({"olm", "gone"}, path_of("gone")), Error);
}
