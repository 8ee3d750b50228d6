#include "opcat/document/normalise.hpp"
#include "reading.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

std::string normalised_text(std::string_view json) {
    const auto read = read_as_json(json);
    std::string text;
    append_compact_json(text, normalised(read->value, read->arena));
    return text;
}

} // namespace

TEST_CASE("keys are sorted by byte at every level, and the last of equal ones stays") {
    CHECK(normalised_text(R"({"b":1,"a":{"z":1,"Z":2,"é":3,"10":4,"9":5},"b":2})") ==
          R"({"a":{"10":4,"9":5,"Z":2,"z":1,"é":3},"b":2})");
    CHECK(normalised_text(R"([{"b":1,"a":2},[{"d":[],"c":{}}],"x",null])") ==
          R"([{"a":2,"b":1},[{"c":{},"d":[]}],"x",null])");
    CHECK(normalised_text("1") == "1");
}

TEST_CASE("parts that are already sorted are shared") {
    const auto read = read_as_json(R"({"a":{"b":[1]},"c":2})");
    CHECK(normalised(read->value, read->arena).members().data() == read->value.members().data());
}

TEST_CASE("places survive") {
    const auto read = read_as_json(R"({"b":1,"a":2})");
    const Value value = normalised(read->value, read->arena);
    CHECK(value.offset() == 0);
    CHECK(value.find("a")->offset() == 11);
}

TEST_CASE("the deepest nesting is normalised and written without the stack") {
    std::string json;
    for (int i = 0; i < 4'999; ++i) json += R"({"b":1,"a":[)";
    for (int i = 0; i < 4'999; ++i) json += "]}";
    const std::string text = normalised_text(json);
    CHECK(text.starts_with(R"({"a":[{"a":[{"a":[)"));
    CHECK(text.size() == json.size());
}
