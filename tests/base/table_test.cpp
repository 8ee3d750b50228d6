#include "opcat/base/table.hpp"

#include <doctest/doctest.h>

using opcat::align_table;

TEST_CASE("columns of a table are as wide as their widest cell, in columns of a terminal") {
    const struct {
        std::string_view text, aligned;
    } cases[] = {
        {"", ""},
        {"A\tB\nlong\tx\n", "A     B\nlong  x\n"},
        {"日本\tx\nab\ty\n", "日本  x\nab    y\n"},                    // two columns each
        {"e\u0301\tx\nab\ty\n", "e\u0301   x\nab  y\n"},               // a combining mark has none
        {"a\tx\tc\nbb\ty\t\nb\t\tz\n", "a   x  c\nbb  y\nb      z\n"}, // no blanks at the ends of lines
        {"a\tb\nalone\nc\td\n", "a      b\nalone\nc      d\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(align_table(c.text) == c.aligned);
    }
}

TEST_CASE("columns without values are dropped unless they are to be kept; a title alone is not a table") {
    const std::string text = "NAME\tSKIPS\tTEXT\nshort\t\tx\n";
    CHECK(align_table(text) == "NAME   TEXT\nshort  x\n");
    CHECK(align_table(text, 0, opcat::EmptyColumns::kept) == "NAME   SKIPS  TEXT\nshort         x\n");
    CHECK(align_table("NAME\tSKIPS\n") == "NAME  SKIPS\n");
}

TEST_CASE("a table that is too wide loses the middles of its widest cells") {
    const std::string text = "NAME\tTEXT\nshort\tthis is much more than fits\n";
    CHECK(align_table(text, 36) == "NAME   TEXT\nshort  this is much more than fits\n");
    CHECK(align_table(text, 24) == "NAME   TEXT\nshort  this is …han fits\n");
    CHECK(align_table("x\t日本日本日本日本日本\n", 16) == "x  日本日…本日本\n"); // no half characters
    // A column that is too narrow to read is not cut any further.
    CHECK(align_table("aaaaaaaaaaaaaa\tbbbbbbbbbbbbbb\n", 10) == "aaaa…aaa  bbbb…bbb\n");
}

TEST_CASE("text from a cluster is escaped, and its further lines are indented") {
    CHECK(opcat::for_terminal("one\ntwo\x1b[2J\n\n", 4) == "one\n    two\\x1b[2J");
    CHECK(opcat::for_terminal("", 4).empty());
}
