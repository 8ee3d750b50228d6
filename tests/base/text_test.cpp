#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace opcat;

TEST_CASE("display width counts terminal columns") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("é") == 1);
    CHECK(display_width("e\u0301") == 1);
    CHECK(display_width("操作") == 4);
    CHECK(display_width("\xff") == 1);
}

TEST_CASE("only shortest-form UTF-8 without surrogates is valid") {
    CHECK(is_valid_utf8("plain, é, 操, 😀"));
    CHECK_FALSE(is_valid_utf8("\xc0\x80"));
    CHECK_FALSE(is_valid_utf8("\xe0\x80\x80"));
    CHECK_FALSE(is_valid_utf8("\xed\xa0\x80"));
    CHECK_FALSE(is_valid_utf8("\xf4\x90\x80\x80"));
    CHECK_FALSE(is_valid_utf8("\xe2\x82"));
    CHECK_FALSE(is_valid_utf8("\x80"));
}

TEST_CASE("every code point is written and read back, and nothing else is valid") {
    for (char32_t c = 0; c <= 0x10ffff; c += c < 0x3000 ? 1 : 37) {
        if (c >= 0xd800 && c < 0xe000) continue;
        std::string text;
        append_utf8(text, c);
        REQUIRE(utf8_sequence_length(text) == text.size());
        REQUIRE(decode_utf8(text) == c);
        REQUIRE(utf8_sequence_length(text.substr(0, text.size() - 1)) == 0);
    }
}

TEST_CASE("text is split into characters, and a stray byte is a character of its own") {
    const Utf8Characters all = utf8_characters("aé\xff操\xe2\x82");
    CHECK(std::vector<std::string_view>(all.begin(), all.end()) ==
          std::vector<std::string_view>{"a", "é", "\xff", "操", "\xe2", "\x82"});
    CHECK(all.size() == 6);
    CHECK(utf8_characters("").size() == 0);
}

TEST_CASE("control characters are shown as escapes") {
    CHECK(escape_controls("plain é") == "plain é");
    CHECK(escape_controls("\x1b[31m\n\x7f") == "\\x1b[31m\\x0a\\x7f");
    CHECK(escape_controls_in_lines("a\x1b\n\n\x07") == "a\\x1b\n\n\\x07");
    CHECK(escape_controls_in_lines("a\n::error::b\n  ##[error]c\n :d") ==
          "a\\x0a::error::b\\x0a  ##[error]c\n :d");
    CHECK(escape_controls("\xc2\x9b") == "\\xc2\\x9b"); // CSI in eight bits
    CHECK(escape_controls("\xc2\xa0\xff") == "\xc2\xa0\\xff");
    CHECK(escape_controls("a\u202eb\u2028\U000e0041") == "a\\u202eb\\u2028\\U000e0041");
    CHECK(escape_controls("\u26a0\ufe0f \u0301") == "\u26a0\ufe0f \u0301");
    CHECK(escape_html("\u200d\u202e") == "\u200d\\u202e");
}

TEST_CASE("text from the network is shown on one line, without controls and invalid bytes, and shortened") {
    CHECK(printable("a\nb\x1b[1m\x7f é") == "a b [1m  é");
    CHECK(printable("a\u0085b\u009bc\u00a0d") == "a b c\u00a0d"); // controls of two bytes, and a blank
    CHECK(printable("a\xff\xc3") == "a\uFFFD\uFFFD");
    const std::string most(299, 'x');
    CHECK(printable(most + "y") == most + "y");
    CHECK(printable(most + "yz") == most + "y…");
    CHECK(printable(most + "é") == most + "é");
    CHECK(printable(most + "éz") == most + "é…");
    CHECK(printable(most + "操z") == most + "操…"); // a character is shown as a whole
}

TEST_CASE("a text of several lines is put on one") {
    CHECK(on_one_line("a\n  b  c \r\n\n\td\n") == "a b  c d");
    CHECK(on_one_line("a") == "a");
    CHECK(on_one_line(" \n\n") == "");
    CHECK(on_one_line("") == "");
}

TEST_CASE("similar names are suggested, nearest first") {
    const std::string_view known[] = {"stable", "staging", "candidate", "fast"};
    CHECK(did_you_mean("stabel", known) == "did you mean stable?");
    CHECK(did_you_mean("Fast", known) == "did you mean fast?");
    CHECK(did_you_mean("nightly", known).empty());
    CHECK(did_you_mean("", known).empty());
    CHECK(did_you_mean(std::string(1'000'000, 'x'), known).empty());
    const std::string_view alike[] = {"v1.0.3", "v1.0.1", "v1.0.2", "v1.1.1", "v1.0.1"};
    CHECK(did_you_mean("v1.0.1x", alike) == "did you mean v1.0.1, v1.0.2 or v1.0.3?");
}

TEST_CASE("names that begin with what was given are suggested, shortest first") {
    const std::string_view known[] = {"gizmo-operator-v2", "gizmo-operator", "hello", "gizmo-eu",
                                      "gizmo-operator-old"};
    CHECK(did_you_mean("gizmo", known) == "did you mean gizmo-eu, gizmo-operator or gizmo-operator-v2?");
    CHECK(did_you_mean("GIZMO-oper", known) ==
          "did you mean gizmo-operator, gizmo-operator-v2 or gizmo-operator-old?");
    CHECK(did_you_mean("gi", known).empty());
    CHECK(did_you_mean("helo", known) == "did you mean hello?");
}

TEST_CASE("of very many names the first are compared") {
    const std::string given(200, 'b'), near = given + 'c';
    std::vector<std::string> names(200'000, std::string(200, 'a'));
    names.front() = near;
    const std::vector<std::string_view> known(names.begin(), names.end());
    CHECK(nearest_names(given, known) == std::vector<std::string_view>{near});
    names.front().swap(names.back());
    CHECK(nearest_names(given, std::vector<std::string_view>(names.begin(), names.end())).empty());
}

TEST_CASE("counts have their plural") {
    CHECK(counted(0, "error") == "0 errors");
    CHECK(counted(1, "error") == "1 error");
    CHECK(counted(2, "error") == "2 errors");
}

TEST_CASE("sizes are readable") {
    CHECK(human_size(0) == "0 B");
    CHECK(human_size(1023) == "1023 B");
    CHECK(human_size(1024) == "1.0 KiB");
    CHECK(human_size(1024 * 1024 - 1) == "1.0 MiB");
    CHECK(human_size(12'900'000) == "12.3 MiB");
    CHECK(human_size(UINT64_MAX) == "16.0 EiB");
}

using opcat::align_columns;

TEST_CASE("columns are as wide as their widest cell and two blanks") {
    const struct {
        std::string_view text, aligned;
    } cases[] = {
        {"", ""},
        {"a\n", "a\n"},
        {"A\tB\tC\nlong\t\tx\n", "A     B  C\nlong     x\n"},
        {"é\tx\nee\ty\n", "é   x\nee  y\n"}, // code points, not bytes
        {"a\tb\nno cells\nlonger\tc\n",
         "a  b\nno cells\nlonger  c\n"}, // a line without a cell ends the column
        {"a\tb\tc\nd\te\n", "a  b  c\nd  e\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(align_columns(c.text) == c.aligned);
    }
}

using opcat::shorten;

TEST_CASE("a list shows the items that fit, and the number of the others") {
    const std::vector<std::string_view> items{"a.v1", "a.v2", "a.v3"};
    CHECK(opcat::shorten_list(items, 14) == "a.v1,a.v2,a.v3");
    CHECK(opcat::shorten_list(items, 13) == "a.v1,a.v2 and 1 more");
    CHECK(opcat::shorten_list(items, 1) == "a.v1 and 2 more");
    CHECK(opcat::shorten_list({}, 1).empty());
}

TEST_CASE("drawings in ASCII keep their widths, and other text is unchanged") {
    CHECK(opcat::draw_in_ascii("● a\n├─○ b\n╰─ c → d…") == "* a\n|-o b\n`- c -> d...");
    CHECK(opcat::draw_in_ascii("n…v1 für", "~") == "n~v1 für");
    CHECK(opcat::draw_in_ascii("\xe2\x97") == "\xe2\x97"); // half a character
}

TEST_CASE("text that is too long loses its middle") {
    CHECK(shorten("operator.v1.2.3", 15) == "operator.v1.2.3");
    CHECK(shorten("operator.v1.2.3", 9) == "oper….2.3");
    CHECK(shorten("ab", 1) == "…");
    CHECK(shorten("日本日本", 6) == "日…本"); // a wide character fits as a whole or not at all
    CHECK(shorten("", 1).empty());
}

TEST_CASE("a misspelling is clear if it is near to one name only") {
    const std::vector<std::string_view> names = {"stable", "candidate", "fast", "bets", "beta"};
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"stabel", "stable"},
        {"stabl", "stable"},
        {"tsable", "stable"},
        {"Stable", "stable"},
        {"tsabel", ""},
        {"candiadte", "candidate"},
        {"candiadt", ""},
        {"bet", ""},
        {"beta", ""},
        {"fsat", "fast"},
        {"stable\u200b", "stable"},      // an invisible character
        {"candid\u0430te", "candidate"}, // another alphabet's
        {"日本", ""},
        {"", ""},
    };
    for (const auto& [given, meant] : cases) {
        CAPTURE(given);
        CHECK(misspelt(given, names) == meant);
    }
}
