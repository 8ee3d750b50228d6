#include "opcat/cluster/state.hpp"

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
    CHECK(both.has(Olm::v1));
    CHECK_FALSE(neither.has(Olm::classic));
    CHECK(neither.has(Olm::none));
}
