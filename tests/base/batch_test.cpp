#include "opcat/base/batch.hpp"
#include "opcat/base/error.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <vector>

using namespace opcat;

TEST_CASE("lines that are blank are not questions, and the others keep their numbers") {
    const SourceFile file("questions", "{\"a\": 1}\r\n \t\r\n\n{\"a\": 2}");
    std::vector<size_t> numbers;
    for_each_batch_line(file, [&](const BatchLine& line) { numbers.push_back(line.number); });
    CHECK(numbers == std::vector<size_t>{1, 4});
}

TEST_CASE("a line that is not one JSON object of at most 1 MiB is refused") {
    CHECK(question_in({1, "{\"a\": 1}"})["a"] == 1);
    for (const std::string& text : {std::string("[]"), std::string("{"), std::string("{} {}"), std::string(),
                                    "{\"a\": \"" + std::string(size_t{1} << 20, 'x') + "\"}"})
        CHECK_THROWS_AS(question_in({1, text}), RequestError);
}

TEST_CASE("a member that is missing or not a string is named") {
    const nlohmann::ordered_json question{{"name", "x"}, {"count", 1}};
    CHECK(string_in(question, "name") == "x");
    for (const char* member : {"count", "none"})
        CHECK_THROWS_WITH_AS(string_in(question, member),
                             ("the question needs \"" + std::string(member) + "\", a string").c_str(),
                             RequestError);
}

TEST_CASE("answers are lines of ASCII") {
    CHECK(as_batch_line({{"error", why_refused({7, ""}, Error("caf\u00e9\u2028"))}}) ==
          "{\"error\":\"line 7: caf\\u00e9\\u2028\"}\n");
}
