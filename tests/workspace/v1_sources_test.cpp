#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/workspace/v1_sources.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("OLM v1 reads each catalog once, and has its own words for what it cannot read") {
    const TemporaryDirectory directory("/tmp");
    const auto path_of = [&](const char* name) { return (directory.path() / name).string(); };
    write_file(path_of("good"), "{schema: olm.package, name: shop, defaultChannel: stable}\n");
    write_file(path_of("bad"), "schema: [\n");
    ThreadPool pool(1);
    V1Sources sources({}, pool);
    size_t asked = 0;
    const auto accept = [&](const Diagnostics& findings) {
        ++asked;
        return findings.empty();
    };
    CHECK(sources.open({path_of("good"), path_of("good")}, accept));
    CHECK(sources.open({path_of("good")}, accept));
    CHECK(asked == 1);
    CHECK(!sources.open({path_of("bad")}, accept));

    const olmv1::CatalogIndex& good = sources.index(path_of("good"));
    CHECK(good.failure().empty());
    CHECK(good.find("shop") != nullptr);
    CHECK(&sources.index(path_of("good")) == &good);
    CHECK(!sources.index(path_of("bad")).failure().empty());
    CHECK(sources.index(path_of("gone")).failure() == "stat .: no such file or directory");
    // opm refuses a default channel that does not exist.
    CHECK(!sources.refusal(path_of("good")).empty());
    CHECK(!sources.refusals().empty());
}
