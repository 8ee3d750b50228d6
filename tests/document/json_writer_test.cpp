#include "opcat/document/json_writer.hpp"
#include "random_value.hpp"
#include "reading.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("JSON is written as opm writes it: four spaces, members in their order, a line break at the end") {
    const auto read = read_as_json(R"({"b":[1,{"x":null}],"a":{},"c":[],"d":"é"})");
    std::string text;
    append_json(text, read->value);
    CHECK(text == "{\n"
                  "    \"b\": [\n"
                  "        1,\n"
                  "        {\n"
                  "            \"x\": null\n"
                  "        }\n"
                  "    ],\n"
                  "    \"a\": {},\n"
                  "    \"c\": [],\n"
                  "    \"d\": \"é\"\n"
                  "}\n");
}

TEST_CASE("JSON text keeps the spelling of scalars, and gets new white space") {
    const std::string_view json =
        " { \"a\" : [ 4.10,-0 , \"\\u003e\\\\\\\"}{[,: \" ] ,\"b\":{ },\"c\":[[ ]]}";
    std::string text;
    append_json(text, Value::of_json(json));
    CHECK(text == "{\n"
                  "    \"a\": [\n"
                  "        4.10,\n"
                  "        -0,\n"
                  "        \"\\u003e\\\\\\\"}{[,: \"\n"
                  "    ],\n"
                  "    \"b\": {},\n"
                  "    \"c\": [\n"
                  "        []\n"
                  "    ]\n"
                  "}\n");
    std::string compact;
    append_compact_json(compact, Value::of_json(json));
    CHECK(compact == "{\"a\":[4.10,-0,\"\\u003e\\\\\\\"}{[,: \"],\"b\":{},\"c\":[[]]}");
}

TEST_CASE("strings are escaped as Go escapes them without HTML") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"plain <&> é 😀 /", "\"plain <&> é 😀 /\""},
        {"\"\\\b\f\n\r\t", R"("\"\\\b\f\n\r\t")"},
        {std::string_view("\0\x01\x1f\x7f", 4), "\"\\u0000\\u0001\\u001f\x7f\""},
        {"a\u2028b\u2029c\u2027d\u202ae", "\"a\\u2028b\\u2029c\u2027d\u202ae\""},
        {"12345678\"12345678\n", "\"12345678\\\"12345678\\n\""}, // beyond the eight bytes looked at together
    };
    for (const auto& [text, written] : cases) {
        std::string out;
        append_json_string(out, text);
        CHECK(out == written);
    }
}

TEST_CASE("random values written as JSON are read back the same") {
    RandomValues random(11);
    for (int i = 0; i < 3'000; ++i) {
        const Value value = random.any(5);
        std::string compact;
        append_compact_json(compact, value);
        std::string indented;
        append_json(indented, value);
        CAPTURE(compact);
        REQUIRE(read_as_json(compact)->result() == compact);
        REQUIRE(read_as_json(indented)->result() == compact);
    }
}
