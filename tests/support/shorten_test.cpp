#include "support/shorten.hpp"

#include <doctest/doctest.h>

using opcat::shorten;

TEST_CASE("text that is too long loses its middle") {
    CHECK(shorten("operator.v1.2.3", 15) == "operator.v1.2.3");
    CHECK(shorten("operator.v1.2.3", 9) == "oper….2.3");
    CHECK(shorten("ab", 1) == "…");
    CHECK(shorten("日本日本", 6) == "日…本"); // a wide character has room as a whole, or none
    CHECK(shorten("", 1).empty());
}
