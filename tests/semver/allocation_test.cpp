// Resolvers evaluate ranges millions of times, so evaluating must not allocate memory.
#include "../count_allocations.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/constraints.hpp"

#include <doctest/doctest.h>

using namespace opcat::semver;

TEST_CASE("evaluating a range allocates nothing, and neither does parsing a usual version") {
    const auto range = BlangRange::parse(">=1.0.0-rc.1 <2.0.0 || 3.1.x");
    const auto constraints = Constraints::parse("~1.2.3-rc.1 || ^2 || !=3.x || 4.0.0-a.very.long.prerelease");
    REQUIRE(range);
    REQUIRE(constraints);
    size_t yes = 0;
    const size_t before = allocations;
    REQUIRE(before > 0);
    for (const std::string_view text :
         {"1.2.3", "1.2.3-rc.1", "3.1.4", "4.0.0-a", "0.1.0+20240501", "10.20.30-alpha.20+sha.1"}) {
        const auto version = Version::parse(text);
        if (version) yes += range->contains(*version) + constraints->check(*version);
    }
    const size_t after = allocations;
    CHECK(after == before);
    CHECK(yes > 0);
}
