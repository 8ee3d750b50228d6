#include "opcat/base/unicode.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("digits of every script are decimal digits, other numbers are not") {
    CHECK(is_decimal_digit(U'7'));
    CHECK(is_decimal_digit(U'\u0663'));
    CHECK(is_decimal_digit(U'\uff11'));
    CHECK(is_decimal_digit(U'\U0001e4f0')); // new in 15.0
    CHECK_FALSE(is_decimal_digit(U'\u00b2'));
    CHECK_FALSE(is_decimal_digit(U'\u2167'));
    CHECK_FALSE(is_decimal_digit(U'a'));
}

TEST_CASE("Unicode white space is trimmed at both ends only") {
    CHECK(trim_white_space(" \t\u00a0\u2003a b\u3000\u0085\n") == "a b");
    CHECK(trim_white_space(" \u2028 ") == "");
    CHECK(trim_white_space("") == "");
    CHECK(trim_white_space("\u200b") == "\u200b");
    CHECK(trim_white_space("\x85 a \xa0") == "\x85 a \xa0");
}

TEST_CASE("texts that only differ in letter case are folded to the same") {
    CHECK(case_folded("Name") == "name");
    CHECK(case_folded("Stra\u00dfe \u017f \u212a \ufb01") == "strasse s k fi");
    CHECK(case_folded("\u00c9 \u0416 \u03a3\u03c2 \u0100\u0101 \U00010400") ==
          "\u00e9 \u0436 \u03c3\u03c3 \u0101\u0101 \U00010428");
    CHECK(case_folded("\u0131 \u0138 \u4e2d 1") == "\u0131 \u0138 \u4e2d 1"); // there is nothing to fold
    CHECK(case_folded("A\xff\xc3") == "a\xff\xc3");
}
