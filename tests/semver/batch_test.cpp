#include "opcat/base/error.hpp"
#include "opcat/semver/batch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace opcat;
using Question = nlohmann::ordered_json;

TEST_CASE("a question comes back with its answer") {
    CHECK(semver::answer_to({{"id", 7}, {"lib", "blang"}, {"range", ">=1.0.0"}, {"version", "1.2.3"}}) ==
          Question{{"id", 7}, {"lib", "blang"}, {"range", ">=1.0.0"}, {"version", "1.2.3"}, {"ok", true}});
    CHECK(semver::answer_to({{"lib", "olm-compare"}, {"a", "1.0.0+2"}, {"b", "1.0.0+10"}})["cmp"] == -1);
    CHECK(semver::answer_to({{"lib", "masterminds-parse"}, {"version", "v1.2"}})["string"] == "1.2.0");
}

TEST_CASE("no member of the question looks like an answer, and a misspelt one is refused") {
    const Question answer = semver::answer_to(
        {{"lib", "blang"}, {"range", ">=1.0.0"}, {"version", "1.2.3"}, {"error", "x"}, {"cmp", 1}});
    CHECK(answer["ok"] == true);
    CHECK(!answer.contains("error"));
    CHECK(!answer.contains("cmp"));
    CHECK_THROWS_WITH_AS(
        semver::answer_to({{"lib", "masterminds"}, {"constraint", "^1.2"}, {"Version", "9.5.0"}}),
        "there is no member \"Version\"", RequestError);
}

TEST_CASE("an answer says in which member of the question the error is, and where") {
    const Question answer = semver::answer_to({{"lib", "blang-compare"}, {"a", "1.0.0"}, {"b", "1.0.x"}});
    CHECK(answer["error_in"] == "b");
    CHECK(answer["offset"] == 4);
    CHECK(!answer.contains("cmp"));
}

TEST_CASE("what is not a question is refused") {
    CHECK_THROWS_WITH_AS(semver::answer_to({{"lib", "basic"}}), "there is no lib \"basic\"", RequestError);
    CHECK_THROWS_AS(semver::answer_to({{"lib", "blang"}, {"version", "1.0.0"}}), RequestError);
}
