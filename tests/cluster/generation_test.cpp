#include "cluster/generation.hpp"
#include "support/error.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

TEST_CASE("the API groups tell which OLM is there") {
    const Served both = Served::of({"apps", "operators.coreos.com", "olm.operatorframework.io"});
    CHECK(both.classic);
    CHECK(both.v1);
    CHECK_FALSE(both.packages);
    const Served neither = Served::of({"apps"});
    CHECK_FALSE(neither.classic);
    CHECK_FALSE(neither.v1);

    CHECK(choose(both, Olm::v1) == Olm::v1);
    CHECK(choose(Served{.classic = true}, {}) == Olm::classic);
    CHECK(choose(Served{.v1 = true}, {}) == Olm::v1);
    CHECK(choose(neither, Olm::none) == Olm::none);
    CHECK_THROWS_AS(choose(both, {}), UsageError);
    CHECK_THROWS_AS(choose(neither, {}), Error);
    CHECK_THROWS_AS(choose(Served{.v1 = true}, Olm::classic), Error);
    CHECK_THROWS_AS(choose(Served{.classic = true}, Olm::v1), Error);

    CHECK(narrowed(both, {}).has(Olm::classic));
    CHECK(narrowed(both, {}).has(Olm::v1));
    CHECK_FALSE(narrowed(both, Olm::v1).has(Olm::classic));
    CHECK(narrowed(both, Olm::v1).has(Olm::v1));
    CHECK_THROWS_AS(narrowed(Served{.classic = true}, Olm::v1), Error);
}
