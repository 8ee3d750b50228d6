#include "opcat/base/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace opcat;

TEST_CASE_TEMPLATE("JSON is read as written, and a text that is not JSON is a discarded value", Json,
                   nlohmann::json, nlohmann::ordered_json) {
    CHECK(parse_json<Json>(R"({"b": [1, null], "a": "x"})") == Json({{"b", {1, nullptr}}, {"a", "x"}}));
    for (const char* text : {"", "{", "{} {}", "[1,]", "\"\xff\""}) {
        CAPTURE(text);
        CHECK(parse_json<Json>(text).is_discarded());
        CHECK(!parse_shallow_json<Json>(text));
    }
}

TEST_CASE_TEMPLATE("JSON is refused when it is nested deeper than allowed", Json, nlohmann::json,
                   nlohmann::ordered_json) {
    CHECK(parse_shallow_json<Json>("[[1]]", 2) == Json::array({Json::array({1})}));
    CHECK(!parse_shallow_json<Json>("[[[1]]]", 2));
    CHECK(!parse_shallow_json<Json>(R"({"a": {"b": {"c": 1}}})", 2));
    CHECK(parse_shallow_json<Json>(std::string(100, '[') + std::string(100, ']')));
    CHECK(!parse_shallow_json<Json>(R"({"a": [[["]]"]]]})", 2));
    CHECK(parse_shallow_json<Json>(R"(["[[[\"{{{", []])", 1) == Json::array({"[[[\"{{{", Json::array()}));
    CHECK(!parse_shallow_json<Json>(std::string(102, '[') + std::string(102, ']')));
}

TEST_CASE("JSON is written on one line or indented, with U+FFFD for what is not UTF-8") {
    const nlohmann::ordered_json value = {{"b", "\xc3\xa9\xff"}, {"a", {1}}};
    CHECK(as_line(value) == "{\"b\":\"\xc3\xa9\xef\xbf\xbd\",\"a\":[1]}");
    CHECK(as_ascii_line(value) == "{\"b\":\"\\u00e9\\ufffd\",\"a\":[1]}");
    CHECK(as_document(value) == "{\n  \"b\": \"\xc3\xa9\xef\xbf\xbd\",\n  \"a\": [\n    1\n  ]\n}\n");
    CHECK(as_line(nlohmann::json(value)) == "{\"a\":[1],\"b\":\"\xc3\xa9\xef\xbf\xbd\"}");
}
