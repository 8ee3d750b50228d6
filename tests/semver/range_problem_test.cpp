#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/range_problem.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace opcat;
using namespace opcat::semver;

TEST_CASE("what is wrong with a range is said in words that say what to write") {
    const struct {
        std::string_view range, words;
    } cases[] = {
        {"", "it is empty"},
        {" || ", "it is empty"},
        {">=1.0.0, <2.0.0", "it contains a comma: write a blank between comparisons"},
        {">=1.0.0;<2.0.0", "it contains a semicolon: write a blank between comparisons"},
        {">=1.0.0 && <2.0.0", "it contains a \"&\": write a blank between comparisons"},
        {"\u201c>=1.0.0\u201d", "it contains curly quotes: write straight ones around it, and none inside"},
        {"'>=1.0.0'", "the quotes are part of the text: write only one pair around it"},
        {">=1.0.0\u00a0<2.0.0", "it contains a no-break space (U+00A0): write an ordinary one"},
        {"\u22651.0.0", "write >= for \u2265"},
        {"=>1.0.0", "write >= for =>"},
        {"^1.2.0", "\"^\" is of another dialect: write both ends, as in \">=1.2.0 <2.0.0\""},
        {"~1.2.0", "\"~\" is of another dialect: write both ends, as in \">=1.2.0 <1.3.0\""},
        {"[1.2.0,1.3.0)", "it contains a comma: write a blank between comparisons"},
        {"1.2.*", "\"*\" is of another dialect: write \"x\", as in \"1.2.x\""},
        {"|| <2.0.0", "it begins with \"||\""},
        {">=1.0.0 ||", "it ends with \"||\""},
        {">=1.0.0|<2.0.0", "write || for |"},
        {">=v1.0.0", "\">=v1.0.0\" has a \"v\" before the version: remove it"},
        {">=1.0 <2.0.0", "\"1.0\" is not a whole version: write 1.0.0"},
        {">=1 <2.0.0", "\"1\" is not a whole version: write 1.0.0"},
        {">=1.0.0.0", "\"1.0.0.0\" has 4 numbers, and a version has three"},
        {">=1.0.0 latest", "\"latest\" has no version"},
    };
    for (const auto& [range, words] : cases) {
        CAPTURE(range);
        const auto parsed = BlangRange::parse(range);
        REQUIRE(!parsed);
        CHECK(explain_range_problem(range, parsed.error()) == words);
    }
}
