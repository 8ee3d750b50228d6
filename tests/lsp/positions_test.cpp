#include "opcat/lsp/positions.hpp"

#include <doctest/doctest.h>

using namespace opcat::lsp;

TEST_CASE("characters of a line are counted in units of the encoding") {
    // "ä" has two bytes and one unit of UTF-16; "😀" has four and two.
    const std::string_view line = "a\u00e4\U0001F600b";
    const struct {
        size_t byte;
        uint32_t utf16;
    } places[] = {{0, 0}, {1, 1}, {3, 2}, {7, 4}, {8, 5}};
    for (const auto& [byte, utf16] : places) {
        CAPTURE(byte);
        CHECK(byte_in_line(line, utf16, Encoding::utf16) == byte);
        CHECK(character_in_line(line, byte, Encoding::utf16) == utf16);
        CHECK(byte_in_line(line, static_cast<uint32_t>(byte), Encoding::utf8) == byte);
        CHECK(character_in_line(line, byte, Encoding::utf8) == byte);
    }
    SUBCASE("within a character is its beginning") {
        CHECK(byte_in_line(line, 3, Encoding::utf16) == 3);
        CHECK(byte_in_line(line, 5, Encoding::utf8) == 3);
    }
    SUBCASE("beyond the line is its end") {
        CHECK(byte_in_line(line, 6, Encoding::utf16) == line.size());
        CHECK(byte_in_line(line, 100, Encoding::utf8) == line.size());
    }
    SUBCASE("bytes that are not UTF-8 count one each") {
        CHECK(byte_in_line("\xff\xfe", 1, Encoding::utf16) == 1);
        CHECK(character_in_line("\xff\xfez", 3, Encoding::utf16) == 3);
    }
}

TEST_CASE("lines end in LF, or in CR LF") {
    const std::string_view text = "ab\r\ncd\n\ne";
    const LineIndex lines(text);
    CHECK(lines.line_breaks() == 3);
    CHECK(lines.line(text, 0) == "ab");
    CHECK(lines.line(text, 1) == "cd");
    CHECK(lines.line(text, 2).empty());
    CHECK(lines.line(text, 3) == "e");
    CHECK(lines.line(text, 4).empty());
    CHECK(lines.place(text, 5, Encoding::utf16) == Place{1, 1});
    CHECK(lines.place(text, 100, Encoding::utf16) == Place{3, 1});
    CHECK(lines.byte(text, {0, 9}, Encoding::utf16) == 2);
    CHECK(lines.byte(text, {3, 1}, Encoding::utf16) == text.size());
    CHECK(lines.byte(text, {7, 0}, Encoding::utf16) == text.size());
}
