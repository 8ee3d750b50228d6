#include "opcat/base/error.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace opcat;

TEST_CASE("a result holds the value or the error") {
    const auto half = [](int n) -> Result<int, std::string> {
        if (n % 2 != 0) return std::string("odd");
        return n / 2;
    };
    REQUIRE(half(4));
    CHECK(*half(4) == 2);
    REQUIRE_FALSE(half(3));
    CHECK(half(3).error() == "odd");
}

TEST_CASE("a value can be moved out of a result") {
    Result<std::unique_ptr<int>, std::string> result(std::make_unique<int>(7));
    CHECK(*result->get() == 7);
    const std::unique_ptr<int> taken = *std::move(result);
    CHECK(*taken == 7);
}
