#include "../document/reading.hpp"
#include "opcat/go/words.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;
using namespace opcat::go;

TEST_CASE("the messages of encoding/json about texts that are not JSON") {
    const std::string end = "unexpected end of JSON input";
    const struct {
        std::string_view text;
        std::string message;
    } cases[] = {
        {R"( {"a": [1, -2.5e+3, true, false, null, "\u00e9\n", {}, []], "b": 0} )", ""},
        {"", end},
        {"tru", end},
        {"[1", end},
        {R"({"a")", end},
        {R"("a\)", end},
        {"-", end},
        {"trux", "invalid character 'x' in literal true (expecting 'e')"},
        {"nul1", "invalid character '1' in literal null (expecting 'l')"},
        {"fulse", "invalid character 'u' in literal false (expecting 'a')"},
        {"{'a': 1}", R"(invalid character '\'' looking for beginning of object key string)"},
        {R"({"a" 1})", "invalid character '1' after object key"},
        {R"({"a":1 "b"})", "invalid character '\"' after object key:value pair"},
        {R"({"a":1,})", "invalid character '}' looking for beginning of object key string"},
        {"[1 2]", "invalid character '2' after array element"},
        {"[1,]", "invalid character ']' looking for beginning of value"},
        {"1 x", "invalid character 'x' after top-level value"},
        {"01", "invalid character '1' after top-level value"},
        {R"("\x")", "invalid character 'x' in string escape code"},
        {R"("\u12g4")", "invalid character 'g' in \\u hexadecimal character escape"},
        {"\"a\nb\"", "invalid character '\\n' in string literal"},
        {"\"a\rb\"", "invalid character '\\r' in string literal"},
        {"\"a\tb\"", "invalid character '\\t' in string literal"},
        {"-x", "invalid character 'x' in numeric literal"},
        {"1.x", "invalid character 'x' after decimal point in numeric literal"},
        {"1ex", "invalid character 'x' in exponent of numeric literal"},
        {"\x01", "invalid character '\\x01' looking for beginning of value"},
        {"\xc3\xa9", "invalid character 'Ã' looking for beginning of value"}, // a byte is a code point there
        {"\\", "invalid character '\\\\' looking for beginning of value"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(json_syntax_error(c.text) == c.message);
    }
}

TEST_CASE("values as fmt prints them") {
    const auto read =
        read_as_json(R"({"a": {"j": 1e21, "k": 10000000}, "b": [true, null, 1.5, "x"], "c": []})");
    REQUIRE(read->good);
    CHECK(print_v(read->value) == "map[a:map[j:1e+21 k:1e+07] b:[true <nil> 1.5 x] c:[]]");
    CHECK(print_t(read->value) ==
          "map[%!t(string=a):map[%!t(string=j):%!t(float64=1e+21) %!t(string=k):%!t(float64=1e+07)] "
          "%!t(string=b):[true <nil> %!t(float64=1.5) %!t(string=x)] %!t(string=c):[]]");
}
