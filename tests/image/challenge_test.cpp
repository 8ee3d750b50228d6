#include "image/access.hpp"

#include <doctest/doctest.h>

using namespace opcat::image;

TEST_CASE("challenges are read from a header that may hold several") {
    const auto bearer = find_challenge(
        R"(Basic realm="x", Bearer realm="https://auth.example/token?a=b,c",service="reg\"istry" , scope=pull)",
        "bearer");
    REQUIRE(bearer);
    CHECK(bearer->parameter("realm") == "https://auth.example/token?a=b,c");
    CHECK(bearer->parameter("service") == "reg\"istry");
    CHECK(bearer->parameter("scope") == "pull");
    CHECK(bearer->parameter("absent").empty());
    CHECK(find_challenge("BASIC Realm=x", "basic")->parameter("realm") == "x");
    CHECK(find_challenge("Negotiate, Basic", "basic"));
    for (const char* odd : {"", ",,,", "=", "Bearer realm=\"never ends", "\"", "a=b", "Bearer \x01\x02"})
        CHECK_FALSE(find_challenge(odd, "digest"));
}
