// Covers lib/cel.
#include "cases.hpp"
#include "opcat/cel/program.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace opcat;
using namespace opcat::cel;

TEST_CASE("literals") {
    check({{"1", "1"},
           {"-9223372036854775808", "-9223372036854775808"},
           {"0x1F", "31"},
           {"0xAF == 0xaf", "true"},
           {"1\t+\r2\f", "3"},
           {"'\\uE000\\uD7FF' == '\xee\x80\x80\xed\x9f\xbf'", "true"},
           {"0x1Fu", "31u"},
           {"7U", "7u"},
           {"1e+2", "double(100)"},
           {".5E-1", "double(0.05)"},
           {"18446744073709551615u", "18446744073709551615u"},
           {"1.5e3", "double(1500)"},
           {".5", "double(0.5)"},
           {"'a\\x41\\u00e9\\101'", "\"aA\xc3\xa9\x41\""},
           {"'\\a\\b\\f\\n\\r\\t\\v' == '\\x07\\x08\\x0c\\x0a\\x0d\\x09\\x0b'", "true"},
           {"r'\\n'", "\"\\n\""},
           {"'''a'b''c'''", "\"a'b''c\""},
           {"'''''' + '' + \"\"", "\"\""},
           {"'a\\'b'", "\"a'b\""},
           {"b'\\377\\000'", "bff00"},
           {"'\\U0010FFFF' == '\xf4\x8f\xbf\xbf'", "true"},
           {"'''a'b\nc'''", "\"a'b\nc\""},
           {"b'\\xff\xc3\xa9'", "bffc3a9"},
           {"[1, 'a', null, true,]", "[1, \"a\", null, true]"},
           {"{'a': 1, 2: [], true: {}}", "{true: {}, 2: [], \"a\": 1}"},
           {"// a comment\n 7", "7"}});
}

TEST_CASE("operators") {
    check({{"1 + 2 * 3 - 4 / 2 % 3", "5"},
           {"1 * 2 + 3 * 4 - 5", "9"},
           {"-1 + 2 * -3", "-7"},
           {"2 - 1 - 1", "0"},
           {"--1", "1"},
           {"- - 1", "1"},
           {"'\xf0\x9f\x98\x80' > '\xef\xbf\xbf'", "true"},
           {"dyn(0.0 / 0.0) < 1", "failure"},
           {"dyn(0.0) == dyn(0u)", "true"},
           {"dyn(1) + dyn(2) + 1 == dyn(4)", "true"},
           {"b'0123456789' + b'0123456789' == b'01234567890123456789'", "true"},
           {"!!true", "true"},
           {"- (3)", "-3"},
           {"true ? 1 : 2", "1"},
           {"false || true && true", "true"},
           {"1 < 2 == true", "true"},
           {"2 < 2 || 2 > 2", "false"},
           {"2 <= 2 && 2 >= 2", "true"},
           {"{'a': 1} == {'a': 2} || {'a': 1} == {'b': 1}", "false"},
           {"{'a': 1, 'b': [2]} == {'b': [2], 'a': 1}", "true"},
           {"dyn('a').contains(dyn(1))", "failure"},
           {"timestamp(7200).getHours('UTC') + timestamp(7200).getHours('')", "4"},
           {"dyn(1) == 1.0", "true"},
           {"dyn(1) == 1u", "true"},
           {"dyn(9223372036854775807) == 9223372036854775808.0", "false"},
           {"dyn(1) < 1.5", "true"},
           {"dyn('a') == 1", "false"},
           {"dyn('a') < 1", "failure"},
           {"dyn(1) + 1.0", "failure"},
           {"9223372036854775807 + 1", "failure"},
           {"1 / 0", "failure"},
           {"1.0 / 0.0 > 0.0", "true"},
           {"0.0 / 0.0 == 0.0 / 0.0", "false"},
           {"[1, 2] + [3]", "[1, 2, 3]"},
           {"'a' + 'b'", "\"ab\""},
           {"[1] == [1, 2] || [1, 2] == [1]", "false"},
           {"[[1, 2]] == [[1, 3]]", "false"},
           {"[[1, 2]] == [[1, 2]]", "true"},
           {"[7][0]", "7"},
           {"[7][-1]", "failure"},
           {"dyn([7])['0']", "failure"},
           {"[7][dyn(0.0)]", "7"},
           {"[7][dyn(0.5)]", "failure"},
           {"[7][dyn(1e300)]", "failure"},
           {"dyn('7')[0]", "failure"},
           {"2 in [1, 2]", "true"},
           {"'a' in {'a': 1}", "true"},
           {"[1, 2][1]", "2"},
           {"[1][1]", "failure"},
           {"{'a': 1}['b']", "failure"},
           {"{'a': 1}.a", "1"},
           {"timestamp(0) == null || duration('1s') == null", "false"},
           {"null == null", "true"},
           {"{1: 'x'}[dyn(1.0)]", "\"x\""}});
}

TEST_CASE("an operand that decides the result absorbs failures of the other") {
    check({{"1 / 0 == 1 || true", "true"},
           {"true || 1 / 0 == 1", "true"},
           {"1 / 0 == 1 && false", "false"},
           {"1 / 0 == 1 || false", "failure"},
           {"dyn(1) || true", "true"},
           {"dyn(1) || false", "failure"},
           {"[0, 1].exists(x, 1 / x == 1)", "true"},
           {"[0, 2].exists(x, 1 / x == 1)", "failure"},
           {"[0, 2].all(x, 1 / x == 1)", "false"},
           {"[0, 1].exists_one(x, 1 / x == 1)", "failure"}});
}

TEST_CASE("macros") {
    check({{"[1, 2, 3].all(x, x > 0)", "true"},
           {"[].all(x, x > 0)", "true"},
           {"[].exists(x, true)", "false"},
           {"[1, 2, 2].exists_one(x, x == 2)", "false"},
           {"[1, 2].existsOne(x, x == 2)", "true"},
           {"[1, 2].map(x, x * 2)", "[2, 4]"},
           {"[1, 2].map(x, x > 1, x * 2)", "[4]"},
           {"[1, 2].filter(x, x > 1)", "[2]"},
           {"{'a': 1, 'b': 2}.map(k, k)", "[\"a\", \"b\"]"},
           {"has({'a': 1}.a)", "true"},
           {"has({'a': 1}.b)", "false"},
           {"has({'a': null}.a)", "true"},
           {"has(dyn(1).a)", "false"},
           {"has(dyn(null).a)", "false"},
           {"has(dyn([1]).a)", "failure"},
           {"[1].map(x, [2].map(x, x))", "[[2]]"}});
}

TEST_CASE("functions") {
    check({{"size('h\xc3\xa9')", "2"},
           {"[1, 2].size()", "2"},
           {"'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')", "true"},
           {"'1.2.3'.matches('^1\\\\.[0-9]')", "true"},
           {"matches('a', '(')", "failure"},
           {"type(1) == int && type([]) == list && type(type(1)) == type", "true"},
           {"type(true) == bool && type(1u) == uint && type(1.5) == double && type({}) == map", "true"},
           {"type('a') == string && type(b'a') == bytes", "true"},
           {"type(duration('1s')) == google.protobuf.Duration", "true"},
           {"type(null)", "type null_type"},
           {"int('42') + int(4.9) + int(3u)", "49"},
           {"int('x')", "failure"},
           {"int('')", "failure"},
           {"int(' 1')", "failure"},
           {"double('')", "failure"},
           {"double('abc')", "failure"},
           {"matches('hello', 'l+')", "true"},
           {"uint(-1)", "failure"},
           {"string(1e6) + string(0.5) + string(true)", "\"1e+060.5true\""},
           {"double('1.5')", "double(1.5)"},
           {"bool('T')", "true"},
           {"bytes('a') == b'a'", "true"},
           {"duration('1h30m') > duration('89m')", "true"},
           {"string(duration('1h1.5s'))", "\"3601.5s\""},
           {"string(duration('1m9s'))", "\"69s\""},
           {"timestamp('2024-02-29T12:00:00Z').getDayOfYear()", "59"},
           {"timestamp('2024-02-29T23:00:00Z').getDate('+02:00')", "1"},
           {"timestamp('2024-02-30T12:00:00Z')", "failure"},
           {"string(timestamp('2024-01-01T00:00:00Z') + duration('1.5s'))", "\"2024-01-01T00:00:01.5Z\""},
           {"timestamp('2024-01-01T00:00:00Z').getHours('Europe/Berlin')", "failure"},
           {"type(timestamp(0)) == google.protobuf.Timestamp", "true"}});
}

TEST_CASE("semver_compare compares versions as OLM does") {
    check({{"semver_compare('1.2.3', 'v1.2')", "1"},
           {"semver_compare('1.0.0-rc.1', '1.0.0')", "-1"},
           {"semver_compare(2.5, '2.5.0')", "0"},
           {"semver_compare(2, '2.0.0')", "0"},
           {"semver_compare('abc', '1.0.0')", "failure"}});
}

TEST_CASE("properties are JSON: numbers are doubles, a missing member is a failure") {
    const std::string_view properties =
        R"([{"type": "level", "value": 2}, {"type": "tags", "value": ["a", "b"]}, {"type": "no", "value": null}])";
    const std::vector<Case> cases = {
        {"properties.exists(p, p.type == 'level' && p.value == 2)", "true"},
        {"properties.exists(p, p.type == 'level' && p.value + 1 == 3)", "failure"},
        {"properties.exists(p, p.type == 'tags' && 'b' in p.value)", "true"},
        {"properties.exists(p, p.type == 'no' && p.value == null)", "true"},
        {"properties.exists(p, p.type == 'no' && p.value.x == null)", "failure"},
        {"properties[1].value == ['a', 'b']", "true"},
        {"properties[9].type == 'x'", "failure"},
        {"properties.exists(p, p.type == 'tags' && dyn(p.value).exists(t, t == 'a'))", "true"}};
    for (const Case& c : cases) {
        CAPTURE(c.expression);
        CHECK(ask(c.expression, properties) == c.answer);
    }
}

TEST_CASE("type errors have the words of cel-go") {
    check(
        {{"props == 1", "ERROR: <input>:1:1: undeclared reference to 'props' (in container '')\n"
                        " | props == 1\n"
                        " | ^"},
         {"properties.type == 'x'",
          "ERROR: <input>:1:11: type 'list(map(string, any))' does not support field selection\n"
          " | properties.type == 'x'\n"
          " | ..........^"},
         {"properties.exists(p, p.value + 1 == 2.0)",
          "ERROR: <input>:1:34: found no matching overload for '_==_' applied to '(int, double)'\n"
          " | properties.exists(p, p.value + 1 == 2.0)\n"
          " | .................................^"},
         {"true && 1 || 'b'", "ERROR: <input>:1:9: expected type 'bool' but found 'int'\n"
                              " | true && 1 || 'b'\n"
                              " | ........^\n"
                              "ERROR: <input>:1:14: expected type 'bool' but found 'string'\n"
                              " | true && 1 || 'b'\n"
                              " | .............^"},
         {"properties.exists(p, 1)", "ERROR: <input>:1:22: expected type 'bool' but found 'int'\n"
                                     " | properties.exists(p, 1)\n"
                                     " | .....................^"},
         {"'a'.size(1)",
          "ERROR: <input>:1:9: found no matching overload for 'size' applied to 'string.(int)'\n"
          " | 'a'.size(1)\n"
          " | ........^"},
         {"startsWith('ab', 'a')",
          "ERROR: <input>:1:11: found no matching overload for 'startsWith' applied to '(string, string)'\n"
          " | startsWith('ab', 'a')\n"
          " | ..........^"},
         {"(dyn(1) < 2) + 1",
          "ERROR: <input>:1:14: found no matching overload for '_+_' applied to '(bool, int)'\n"
          " | (dyn(1) < 2) + 1\n"
          " | .............^"},
         {"properties[0].value.all(x, true)", "ERROR: <input>:1:14: expression of type 'any' cannot be "
                                              "range of a comprehension (must be list, map, "
                                              "or dynamic)\n"
                                              " | properties[0].value.all(x, true)\n"
                                              " | .............^"},
         {"[1].exists(1, true)", "ERROR: <input>:1:12: argument must be a simple name\n"
                                 " | [1].exists(1, true)\n"
                                 " | ...........^"},
         {"(1 && true) + 1", "ERROR: <input>:1:2: expected type 'bool' but found 'int'\n"
                             " | (1 && true) + 1\n"
                             " | .^"},
         {"1 == null", "ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, null)'\n"
                       " | 1 == null\n"
                       " | ..^"},
         {"[[1], [dyn(2)]].x",
          "ERROR: <input>:1:16: type 'list(list(dyn))' does not support field selection\n"
          " | [[1], [dyn(2)]].x\n"
          " | ...............^"},
         {"[[dyn(2)], [1]].x",
          "ERROR: <input>:1:16: type 'list(list(dyn))' does not support field selection\n"
          " | [[dyn(2)], [1]].x\n"
          " | ...............^"},
         {"[{dyn(1): 1}, {1: dyn(1)}].x",
          "ERROR: <input>:1:27: type 'list(map(int, dyn))' does not support field selection\n"
          " | [{dyn(1): 1}, {1: dyn(1)}].x\n"
          " | ..........................^"},
         {"[{1: dyn(1)}, {dyn(1): dyn(1)}].x",
          "ERROR: <input>:1:32: type 'list(map(dyn, dyn))' does not support field selection\n"
          " | [{1: dyn(1)}, {dyn(1): dyn(1)}].x\n"
          " | ...............................^"},
         {"'\xc2\x80' == x", "ERROR: <input>:1:8: undeclared reference to 'x' (in container '')\n"
                             " | '\xc2\x80' == x\n"
                             " | .\xef\xbc\x8e.....^"},
         {"\xc2\x80", "ERROR: <input>:1:1: Syntax error: unexpected character\n"
                      " | \xc2\x80\n"
                      " | \xef\xbc\xbe"},
         {"'\\U00110000'", "ERROR: <input>:1:1: unable to unescape string\n"
                           " | '\\U00110000'\n"
                           " | ^"},
         {"{}.``", "ERROR: <input>:1:4: Syntax error: unexpected character\n"
                   " | {}.``\n"
                   " | ...^"},
         {"{'a b': 1}.`a b`", "ERROR: <input>:1:12: unsupported syntax: '`'\n"
                              " | {'a b': 1}.`a b`\n"
                              " | ...........^"},
         {"'\\189'", "ERROR: <input>:1:1: Syntax error: the string that begins here has no end, or a wrong "
                     "escape sequence\n | '\\189'\n | ^"},
         {"9223372036854775808", "ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^"},
         {"-9223372036854775809", "ERROR: <input>:1:1: invalid int literal\n | -9223372036854775809\n | ^"},
         {"18446744073709551616u",
          "ERROR: <input>:1:1: invalid uint literal\n | 18446744073709551616u\n | ^"},
         {"0x10000000000000000", "ERROR: <input>:1:1: invalid int literal\n | 0x10000000000000000\n | ^"},
         {"1e400", "ERROR: <input>:1:1: invalid double literal\n | 1e400\n | ^"},
         {"'\\q'", "ERROR: <input>:1:1: Syntax error: the string that begins here has no end, or a wrong "
                   "escape sequence\n | '\\q'\n | ^"},
         {"'\\uDFFF'", "ERROR: <input>:1:1: unable to unescape string\n | '\\uDFFF'\n | ^"},
         {"'\\uD800'", "ERROR: <input>:1:1: unable to unescape string\n | '\\uD800'\n | ^"},
         {"{'a': 1}.`a-b/c.d e`",
          "ERROR: <input>:1:10: unsupported syntax: '`'\n | {'a': 1}.`a-b/c.d e`\n | .........^"},
         {"a.b.C{}",
          "ERROR: <input>:1:6: undeclared reference to 'a.b.C' (in container '')\n | a.b.C{}\n | .....^"},
         {"[] + 1", "ERROR: <input>:1:4: found no matching overload for '_+_' applied to '(list(dyn), "
                    "int)'\n | [] + 1\n | ...^"},
         {"[[]].exists(x, x == [x])",
          "ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(list(dyn), "
          "list(list(dyn)))'\n | [[]].exists(x, x == [x])\n | .................^"},
         {"[].map(x, x + 'a').y", "ERROR: <input>:1:19: type 'list(string)' does not support field "
                                  "selection\n | [].map(x, x + 'a').y\n | ..................^"},
         {"[].filter(x, true).y", "ERROR: <input>:1:19: type 'list(_var0)' does not support field "
                                  "selection\n | [].filter(x, true).y\n | ..................^"},
         {"[[]].map(x, x).y", "ERROR: <input>:1:15: type 'list(list(_var0))' does not support field "
                              "selection\n | [[]].map(x, x).y\n | ..............^"},
         {"{}.map(x, x).y", "ERROR: <input>:1:13: type 'list(_var0)' does not support field selection\n | "
                            "{}.map(x, x).y\n | ............^"},
         {"for == 1", "ERROR: <input>:1:1: reserved identifier: for\n | for == 1\n | ^"},
         {"Pod{name: nope, spec: [x, 1 + '']}.x",
          "ERROR: <input>:1:4: undeclared reference to 'Pod' (in container '')\n"
          " | Pod{name: nope, spec: [x, 1 + '']}.x\n"
          " | ...^"},
         {"Pod{name: 1,, }", "ERROR: <input>:1:13: Syntax error: expected '}'\n"
                             " | Pod{name: 1,, }\n"
                             " | ............^"},
         {"timestamp(0) + 1",
          "ERROR: <input>:1:14: found no matching overload for '_+_' applied to '(timestamp, int)'\n"
          " | timestamp(0) + 1\n"
          " | .............^"},
         {"duration('1s').x", "ERROR: <input>:1:15: type 'duration' does not support field selection\n"
                              " | duration('1s').x\n"
                              " | ..............^"},
         {"[1].both(1, 2)", "ERROR: <input>:1:9: undeclared reference to 'both' (in container '')\n"
                            " | [1].both(1, 2)\n"
                            " | ........^"},
         {"Pod{}.x", "ERROR: <input>:1:4: undeclared reference to 'Pod' (in container '')\n"
                     " | Pod{}.x\n"
                     " | ...^"},
         {"'\xc3\xa9' == x", "ERROR: <input>:1:8: undeclared reference to 'x' (in container '')\n"
                             " | '\xc3\xa9' == x\n"
                             " | .\xef\xbc\x8e.....^"}});
}

TEST_CASE("what an empty list has is of any type") {
    check({{"[][0].x", "failure"},
           {"[][0].all(x, x > 1)", "failure"},
           {"[].map(x, x.y)", "[]"},
           {"[].all(x, x.y && x > 1)", "true"},
           {"[].all(x, x.exists(y, y) && x > 1)", "true"}});
}

TEST_CASE("the first syntax error is reported where cel-go finds it") {
    const auto at = [](int column, const std::string& message, const std::string& line) {
        return "ERROR: <input>:1:" + std::to_string(column) + ": Syntax error: " + message + "\n | " + line +
               "\n | " + std::string(static_cast<size_t>(column - 1), '.') + "^";
    };
    const std::string rest = "expected an operator or the end of the expression";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "ERROR: <input>:1:0: Syntax error: expected a value"},
        {"a b", at(3, rest, "a b")},
        {"1 +", at(4, "expected a value", "1 +")},
        {"1 + 2 3 +", at(7, rest, "1 + 2 3 +")},
        {"--", at(3, "expected a value", "--")},
        {"!-a", at(3, "expected a number", "!-a")},
        {"f(1", at(4, "expected ',' or ')'", "f(1")},
        {"f(1,)", at(5, "expected a value", "f(1,)")},
        {"(1", at(3, "expected ')'", "(1")},
        {"[1, 2", at(6, "expected ',' or ']'", "[1, 2")},
        {"[1,, 2]", at(4, "expected ']'", "[1,, 2]")},
        {"{1: 2 3}", at(7, "expected ',' or '}'", "{1: 2 3}")},
        {"{1}", at(3, "expected ':' and the value of the key", "{1}")},
        {"a[1", at(4, "expected ']'", "a[1")},
        {"true ? 1", at(9, "expected ':' and the other value of '?'", "true ? 1")},
        {"'a'.", at(5, "expected the name of a field or function", "'a'.")},
        {".", at(2, "expected a name", ".")},
        {"1 | 2", at(3, "unexpected character", "1 | 2")},
        {"a == 'b", at(6, "the string that begins here has no end, or a wrong escape sequence", "a == 'b")},
        {"*@a", at(1, "expected a value", "*@a") + "\n" + at(2, "unexpected character", "*@a")},
        {"for @", "ERROR: <input>:1:1: reserved identifier: for\n | for @\n | ^\n" +
                      at(5, "unexpected character", "for @")},
    };
    for (const auto& [expression, message] : cases) {
        CAPTURE(expression);
        CHECK(ask(expression) == message);
    }
}

TEST_CASE("of many errors the first hundred are reported") {
    std::string list = "[";
    for (int i = 0; i < 105; ++i) list += "unknown, ";
    const std::string errors = ask(list + "1]");
    CHECK(errors.ends_with("^\n5 more errors were truncated"));
    CHECK(std::count(errors.begin(), errors.end(), '\n') == 300);
}

TEST_CASE("any text has an answer") {
    const std::vector<std::string_view> pieces = {"properties",
                                                  "p",
                                                  ".type",
                                                  ".value",
                                                  "[0]",
                                                  "[",
                                                  "]",
                                                  "(",
                                                  ")",
                                                  "{",
                                                  "}",
                                                  "'a'",
                                                  "\"",
                                                  "'",
                                                  "1",
                                                  "1.5",
                                                  "2u",
                                                  "b'x'",
                                                  "+",
                                                  "-",
                                                  "!",
                                                  "==",
                                                  "<",
                                                  "&&",
                                                  "||",
                                                  "?",
                                                  ":",
                                                  ",",
                                                  ".",
                                                  ".exists(p, ",
                                                  ".map(x, ",
                                                  ".all(p, ",
                                                  "has(",
                                                  "dyn(",
                                                  "size(",
                                                  "true",
                                                  "null",
                                                  " in ",
                                                  "type(",
                                                  "string(",
                                                  "int(",
                                                  ".matches(",
                                                  "semver_compare(",
                                                  "\n",
                                                  "\\",
                                                  "//",
                                                  "\xff",
                                                  "\xc3\xa9",
                                                  "r'",
                                                  "0x",
                                                  "1e",
                                                  "timestamp(",
                                                  "duration("};
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (size_t n = 1 + random() % 14; n > 0; --n) text += pieces[random() % pieces.size()];
        CAPTURE(text);
        CHECK_FALSE(ask(text, R"([{"type": "a", "value": {"b": [1, null, "c"]}}])").empty());
    }
}

TEST_CASE("depth, cost and size have limits") {
    CHECK(ask(std::string(1000, '(') + "1" + std::string(1000, ')')).find("recursion limit") !=
          std::string::npos);
    CHECK(ask(std::string(100'000, '[')).find("recursion limit") != std::string::npos);
    std::string sum = "1";
    for (int i = 0; i < 100'000; ++i) sum += "+1";
    CHECK(ask(sum).find("recursion limit") != std::string::npos);

    std::string many = "true";
    for (int i = 0; i < 20'000; ++i) many += "&&true";
    CHECK(ask(many) == "true");

    // Each map doubles the text; each exists iterates over all of the inner one.
    std::string doubled = "['0123456789']";
    for (int i = 0; i < 60; ++i) doubled += ".map(x, x + x)";
    CHECK(ask(doubled) == "failure");
    std::string nested = "true";
    for (int i = 0; i < 20; ++i) nested = "[1,2,3,4,5,6,7,8].all(x" + std::to_string(i) + ", " + nested + ")";
    CHECK(ask(nested) == "failure");
    std::string types = "[1]";
    for (int i = 0; i < 60; ++i) types += ".map(x, {'a': [x], 'b': [x]})";
    CHECK(ask(types + " == " + types) == "failure");

    // The type of each map has that of the one before twice. What is too large has any type.
    std::string large = "[1]";
    for (int i = 0; i < 60; ++i) large += ".map(x, {x: x})";
    CHECK(ask(large + ".x").find("does not support field selection") != std::string::npos);
    CHECK(ask(large + ".x").size() < 200'000);
}
