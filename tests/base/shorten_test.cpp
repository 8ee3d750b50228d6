#include "base/ascii_drawing.hpp"
#include "base/shorten.hpp"

#include <doctest/doctest.h>

#include <vector>

using opcat::shorten;

TEST_CASE("a list has the items that have room, and the number of the others") {
    const std::vector<std::string_view> items{"a.v1", "a.v2", "a.v3"};
    CHECK(opcat::shorten_list(items, 14) == "a.v1,a.v2,a.v3");
    CHECK(opcat::shorten_list(items, 13) == "a.v1,a.v2 and 1 more");
    CHECK(opcat::shorten_list(items, 1) == "a.v1 and 2 more");
    CHECK(opcat::shorten_list({}, 1).empty());
}

TEST_CASE("drawings in ASCII keep their widths, and what is not drawn stays") {
    CHECK(opcat::draw_in_ascii("● a\n├─○ b\n╰─ c → d…") == "* a\n|-o b\n`- c -> d...");
    CHECK(opcat::draw_in_ascii("n…v1 für", "~") == "n~v1 für");
    CHECK(opcat::draw_in_ascii("\xe2\x97") == "\xe2\x97"); // half a character
}

TEST_CASE("text that is too long loses its middle") {
    CHECK(shorten("operator.v1.2.3", 15) == "operator.v1.2.3");
    CHECK(shorten("operator.v1.2.3", 9) == "oper….2.3");
    CHECK(shorten("ab", 1) == "…");
    CHECK(shorten("日本日本", 6) == "日…本"); // a wide character has room as a whole, or none
    CHECK(shorten("", 1).empty());
}
