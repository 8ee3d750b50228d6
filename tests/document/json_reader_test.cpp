// Covers lib/document/value.cpp.
#include "reading.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace opcat;

TEST_CASE("JSON values are read") {
    const ReadingCase cases[] = {
        {"{}", "{}"},
        {" \t\r\n[ ] ", "[]"},
        {R"({"a" : [1, {"b": null}], "c":true,"d":false})", R"({"a":[1,{"b":null}],"c":true,"d":false})"},
        {"\"plain\"", "\"plain\""},
        {R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\b\f\n\r\t")"},
        {R"("\u0041\u00e9\u64cd")", "\"Aé操\""},
        {R"("\uD83D\uDE00")", "\"😀\""},
        {"\"é操😀\"", "\"é操😀\""},
        {R"("a long run of plain text, then \u00e9 and more")",
         "\"a long run of plain text, then é and more\""},
    };
    for (const auto& [text, result] : cases) {
        CAPTURE(text);
        CHECK(read_as_json(text)->result() == result);
    }
}

TEST_CASE("invalid Unicode becomes U+FFFD in JSON") {
    const ReadingCase cases[] = {
        {"\"\xff\"", "\"\uFFFD\""},
        {"\"a\xe2\x82z\"", "\"a\uFFFD\uFFFDz\""}, // one for each byte
        {"\"\xed\xa0\x80\"", "\"\uFFFD\uFFFD\uFFFD\""},
        {R"("\ud800")", "\"\uFFFD\""},
        {R"("\udc00x")", "\"\uFFFDx\""},
        {R"("\ud800\ud83d\ude00")", "\"\uFFFD😀\""},
        {R"("\ud800\u0041")", "\"\uFFFDA\""},
        {R"("\ud800\n")", "\"\uFFFD\\n\""},
    };
    for (const auto& [text, result] : cases) {
        CAPTURE(text);
        CHECK(read_as_json(text)->result() == result);
    }
}

TEST_CASE("JSON numbers: integers of 64 bits are exact, others are doubles") {
    const ReadingCase cases[] = {
        {"0", "0"},
        {"-0", "-0"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"18446744073709551616", "18446744073709552000"},
        {"-9223372036854775809", "-9223372036854776000"},
        {"1.0", "1"},
        {"1.50", "1.5"},
        {"1e2", "100"},
        {"1E+2", "100"},
        {"1e21", "1e+21"},
        {"123456789012345678901234567890", "1.2345678901234568e+29"},
        {"1e-400", "0"},
        {"0.1", "0.1"},
    };
    for (const auto& [text, result] : cases) {
        CAPTURE(text);
        CHECK(read_as_json(text)->result() == result);
    }
}

TEST_CASE("the last of equal keys counts") {
    const auto read = read_as_json(R"({"a":1,"b":2,"a":3})");
    REQUIRE(read->value.find("a"));
    CHECK(read->value.find("a")->integer() == 3);
    CHECK(read->value.members().size() == 3);
    CHECK(read->value.find("c") == nullptr);
}

TEST_CASE("errors in JSON say where they are and what was expected") {
    const ReadingCase cases[] = {
        {"", "1:1: the file ends here, in the middle of a JSON value: a value was expected"},
        {"{\"a\": 1,\n \"é\": }", "2:7: a value was expected, found '}'"},
        {"{\"é\" 1}", "1:6: ':' was expected after a key, found '1'"},
        {"{a: 1}", "1:2: a key in double quotes was expected, found 'a'"},
        {"{\"a\": 1 \"b\"}", "1:9: ',' or '}' was expected after a member, found '\"'"},
        {"[1 2]", "1:4: ',' or ']' was expected after a list item, found '2'"},
        {"[1,]", "1:4: a value was expected, found ']'"},
        {"{\"a\":1,}", "1:8: a key in double quotes was expected, found '}'"},
        {"{\"a\": [1, 2\n\n",
         "1:11: the file ends here, in the middle of a JSON value: ',' or ']' was expected after a "
         "list item"},
        {"{\"a\": tru}", "1:10: true was expected"},
        {"\"a\nb\"", "1:3: a string contains the control character 0x0a: write it as an escape, \\u000a"},
        {"\"\\x\"", "1:2: an escape that JSON does not know"},
        {"\"\\u12g4\"", "1:2: four hexadecimal digits were expected after \\u"},
        {"\"abc",
         "1:4: the file ends here, in the middle of a JSON value: the closing '\"' of a string was expected"},
        {"01", "0"},
        {"-", "1:1: the file ends here, in the middle of a JSON value: a digit was expected in a number"},
        {"1.x", "1:3: a digit was expected in a number"},
        {"1e400", "1:1: a number too large for a double"},
        {"+1", "1:1: a value was expected, found '+'"},
        {"NaN", "1:1: a value was expected, found 'N'"},
        {"'a'", "1:1: a value was expected, found '''"},
        {"{\x01", "1:2: a key in double quotes was expected, found character 0x01"},
    };
    for (const auto& [text, result] : cases) {
        CAPTURE(text);
        CHECK(read_as_json(text)->result() == result);
    }
}

TEST_CASE("the value's end is after its last byte, and zeros in the text are not the end of the file") {
    const SourceFile file("f", "{\"a\": 1} {\"b\": 2}");
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    REQUIRE(read_json(file, 0, arena, end, problem));
    CHECK(end == 8);
    REQUIRE(read_json(file, end, arena, end, problem));
    CHECK(end == 17);
    CHECK(read_as_json(std::string_view("[\0]", 3))->result() ==
          "1:2: a value was expected, found character 0x00");
}

TEST_CASE("every node of JSON knows its place") {
    const std::string_view text = "{\"é\": [\"x\", -1.5],\n  \"k\\n\": {\"y\": null}}";
    const auto read = read_as_json(text);
    REQUIRE(read->good);
    const auto members = read->value.members();
    CHECK(read->value.offset() == 0);
    CHECK(members[0].key.offset() == text.find("\"é"));
    CHECK(members[0].value.offset() == text.find('['));
    CHECK(members[0].value.items()[0].offset() == text.find("\"x"));
    CHECK(members[0].value.items()[1].offset() == text.find("-1.5"));
    CHECK(members[1].key.offset() == text.find("\"k"));
    CHECK(members[1].value.members()[0].value.offset() == text.find("null"));
}

TEST_CASE("strings of JSON without escapes are not copied") {
    const auto read = read_as_json("\"plain é\"");
    CHECK(read->value.string().data() == read->file.bytes().data() + 1);
}

TEST_CASE("JSON may be nested 10,000 levels deep, and not one more") {
    const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(read_as_json(nested(10'000))->good);
    CHECK(read_as_json(nested(10'001))->result() == "1:10001: nested more than 10000 levels deep [limit]");
    CHECK(read_as_json(std::string(5'000'000, '['))->result() ==
          "1:10001: nested more than 10000 levels deep [limit]");
}

TEST_CASE("truncated text is an error, and nothing worse") {
    const std::string_view text = R"( {"a\u00e9": [1.5e3, true, null, "\ud83d\ude00é", {}], "b": -12} )";
    REQUIRE(read_as_json(text)->good);
    for (size_t size = 0; size + 2 < text.size(); ++size) {
        CAPTURE(size);
        const auto read = read_as_json(text.substr(0, size));
        CHECK_FALSE(read->good);
        CHECK(read->problem.where.offset <= size);
    }
}
