#include "opcat/semver/blang_range.hpp"
#include "parsed.hpp"
#include "random_text.hpp"

#include <doctest/doctest.h>

using namespace opcat::semver;

TEST_CASE("a blang range contains the versions of its comparators") {
    const struct {
        std::string_view range;
        std::vector<std::string_view> in, out;
    } cases[] = {
        {"1.2.3", {"1.2.3", "1.2.3+b"}, {"1.2.4", "1.2.3-rc"}},
        {"==1.2.3", {"1.2.3"}, {"1.2.4"}},
        {"!1.2.3", {"1.2.4"}, {"1.2.3"}},
        {"!=1.2.3", {"1.2.4"}, {"1.2.3"}},
        {">=1.0.0 <2.0.0", {"1.0.0", "1.9.9", "2.0.0-alpha"}, {"1.0.0-rc", "2.0.0"}},
        {">1.0.0 <=2.0.0", {"1.0.1", "2.0.0"}, {"1.0.0", "2.0.1"}},
        {"<1.0.0 || >=2.0.0 !2.1.0", {"0.9.0", "2.0.0"}, {"1.0.0", "2.1.0"}},
        {"> = 1.0.0", {"1.0.0"}, {"0.9.0"}},     // blanks after > < = do not count
        {"! 1.2.3", {"1.2.3"}, {"1.2.4"}},       // but after ! they do, and a lone ! is dropped
        {"1 x >=2.0.0 a", {"2.0.0"}, {"1.0.0"}}, // as is every token of one byte
        {"\t>=\t1.0.0", {"1.0.0"}, {"0.9.0"}},
        {"1.x", {"1.0.0", "1.99.0", "2.0.0-rc"}, {"0.9.0", "2.0.0", "1.0.0-rc"}},
        {"=1.2.x", {"1.2.0", "1.2.9"}, {"1.3.0", "1.1.9"}},
        {"1.x.x", {"1.0.0"}, {"1.1.0"}}, // counts up the minor number
        {">1.2.x", {"1.3.0"}, {"1.2.9"}},
        {">=1.2.x", {"1.2.0"}, {"1.1.9"}},
        {"<1.2.x", {"1.1.9"}, {"1.2.0"}},
        {"<=1.x", {"1.9.9"}, {"2.0.0"}},
        {"!=1.x", {}, {"0.1.0", "1.5.0", "2.0.0"}}, // below and above at once
        {"~1.x", {"1.0.0"}, {"1.0.1"}},             // an unknown operator means equality
        {">=1.0.0-next", {"1.0.0-next", "1.0.0"}, {"1.0.0-a"}},
        {">1.+5.x", {"1.6.0"}, {"1.5.9"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.range);
        const auto range = BlangRange::parse(c.range);
        REQUIRE(range);
        for (const std::string_view version : c.in) {
            CAPTURE(version);
            CHECK(range->contains(v(version)));
        }
        for (const std::string_view version : c.out) {
            CAPTURE(version);
            CHECK_FALSE(range->contains(v(version)));
        }
    }
}

TEST_CASE("a wrong blang range is refused in blang's words, with the place") {
    const struct {
        std::string_view range, message;
        size_t offset, length;
    } cases[] = {
        {"", "Last element in range is '||'", 0, 0},
        {"x", "Last element in range is '||'", 1, 0},
        {"1.0.0 || ", "Last element in range is '||'", 6, 2},
        {"|| 1.0.0", "First element in range is '||'", 0, 2},
        {">=1.0.0 foo", R"(Could not get version from string: "foo")", 8, 3},
        {">=1.0.0 ~2.0.0", R"(Could not parse Range "~2.0.0": Could not parse comparator "~" in "~2.0.0")", 8,
         1},
        {">=1.0.0, <2.0.0",
         R"(Could not parse Range ">=1.0.0,": Could not parse version "1.0.0," in ">=1.0.0,": )"
         R"(Invalid character(s) found in patch number "0,")",
         6, 2},
        {"> = 1.02.0",
         R"(Could not parse Range ">=1.02.0": Could not parse version "1.02.0" in ">=1.02.0": )"
         R"(Minor number must not contain leading zeroes "02")",
         6, 2},
        {">=1.2",
         R"(Could not parse Range ">=1.2": Could not parse version "1.2" in ">=1.2": )"
         R"(No Major.Minor.Patch elements found)",
         5, 0},
        {"1.0.0 <=1.0.0-next", R"(Could not get version from string: "<")", 6, 12},
        {"1.0.0-next", R"(Could not get version from string: "<")", 0, 10},
        {"~1.0.0 xyz", R"(Could not get version from string: "xyz")", 7, 3}, // wildcards come first
        {"1.0.0||2.0.0",
         R"(Could not parse Range "1.0.0||2.0.0": Could not parse version "1.0.0||2.0.0" in "1.0.0||2.0.0": )"
         R"(Invalid character(s) found in patch number "0||2.0.0")",
         4, 8},
        {"٣.0.0",
         R"(Could not parse Range "٣.0.0": Could not parse version "٣.0.0" in "٣.0.0": )"
         R"(Invalid character(s) found in major number "٣")",
         0, 2},
        {"<=9223372036854775807.x",
         R"(Could not parse Range "<-9223372036854775808.0.0": Could not parse comparator "<-" in "<-9223372036854775808.0.0")",
         0, 23},
        {">9223372036854775808.x", R"(Could not get version from string: ">=")", 0, 22},
    };
    for (const auto& c : cases) {
        CAPTURE(c.range);
        const auto range = BlangRange::parse(c.range);
        REQUIRE_FALSE(range);
        CHECK(range.error().message == c.message);
        CHECK(range.error().offset == c.offset);
        CHECK(range.error().length == c.length);
    }
}

TEST_CASE("blang crashes on an alternative without comparators, and opcat answers") {
    const auto range = BlangRange::parse("1.2.3 || || 2.0.0");
    REQUIRE(range);
    CHECK(range->ask(v("1.2.3")) == BlangRange::Answer::yes);
    CHECK(range->ask(v("2.0.0")) == BlangRange::Answer::crash);
    CHECK_FALSE(range->contains(v("2.0.0")));
    CHECK(range->why_not(v("2.0.0")) == std::vector<std::string>{"=1.2.3"});
    CHECK(range->offset_of_crash() == 9);
    CHECK(BlangRange::parse("1.2.3 || || 2.0.0 || || 3.0.0")->offset_of_crash() == 9);
    CHECK(BlangRange::parse("1.2.3 || 2.0.0")->offset_of_crash() == 0); // it does not
}

TEST_CASE("a range says which comparator rules a version out") {
    const auto range = BlangRange::parse("<1.0.0 || >=2.0.0 2.x");
    REQUIRE(range);
    CHECK(range->why_not(v("1.5.0")) == std::vector<std::string>{"<1.0.0", ">=2.0.0"});
    CHECK(range->why_not(v("3.0.0")) == std::vector<std::string>{"<1.0.0", "<3.0.0"});
}

TEST_CASE("a wildcard range goes from its lowest version up to the next one") {
    RandomText random;
    for (int i = 0; i < 500; ++i) {
        const Version base = v(random.version());
        if (base.major == UINT64_MAX || base.minor == UINT64_MAX) continue; // they have no next
        const auto range =
            BlangRange::parse(std::to_string(base.major) + "." + std::to_string(base.minor) + ".x");
        REQUIRE(range);
        for (int j = 0; j < 20; ++j) {
            const Version version = v(random.version());
            const bool in = version >= Version{base.major, base.minor, 0, "", ""} &&
                            version < Version{base.major, base.minor + 1, 0, "", ""};
            REQUIRE(range->contains(version) == in);
        }
    }
}

TEST_CASE("no text makes the parser of blang ranges crash or report a place outside of it") {
    RandomText random;
    const Version version = v("1.2.3-rc.1");
    for (int i = 0; i < 20000; ++i) {
        const std::string text = random.range();
        CAPTURE(text);
        const auto range = BlangRange::parse(text);
        if (!range) {
            REQUIRE(range.error().offset + range.error().length <= text.size());
            continue;
        }
        if (range->ask(version) != BlangRange::Answer::yes) {
            [[maybe_unused]] const auto reasons = range->why_not(version);
        }
    }
}

TEST_CASE("a range covers another one if it contains all of its versions") {
    const struct {
        std::string_view range, other;
        bool covers;
    } cases[] = {
        {"<1.0.0", "<0.9.0", true},
        {"<0.9.0", "<1.0.0", false},
        {"<1.0.0", "<=1.0.0", false},
        {"<=1.0.0", "<1.0.0", true},
        {"<=1.0.0", ">0.9.0 <1.0.0", true},
        {">=1.0.0 <3.0.0", ">=1.0.0 <2.0.0 || 2.5.0", true},
        {">=1.0.0 <2.0.0 || >=2.0.0 <3.0.0", ">=1.5.0 <2.5.0", true},
        {">=1.0.0 <2.0.0 || >2.0.0 <3.0.0", ">=1.5.0 <2.5.0", false},
        {"!=1.0.0", "<1.0.0", true},
        {"!=1.0.0", "<=1.0.0", false},
        {">=1.0.0", ">=1.0.0-rc.1", false},
        {">=1.0.0-rc.1", ">=1.0.0", true},
        {">1.0.0", ">1.0.0-rc.1", false},
        {">1.0.0", ">=1.0.1-0", true},      // nothing is between the two
        {"<1.0.0", ">=2.0.0 <1.0.0", true}, // which contains nothing
    };
    for (const auto& c : cases) {
        INFO(c.range, " and ", c.other);
        CHECK(BlangRange::parse(c.range)->covers(*BlangRange::parse(c.other)) == c.covers);
    }
}

TEST_CASE("a range below a bound has no version that it did not have") {
    const Version bound = *Version::parse("1.2.0");
    const struct {
        std::string range, below;
    } cases[] = {{"<1.0.0", "<1.0.0"},
                 {">=1.1.0 <2.0.0", ">=1.1.0 <2.0.0 <1.2.0"},
                 {">=1.2.0 <2.0.0", ""},
                 {"<1.0.0 || >=1.1.0", "<1.0.0 <1.2.0 || >=1.1.0 <1.2.0"},
                 {">=1.3.0 || || >=2.0.0", ""}, // not all that is lower than the bound
                 {"", ""}};
    for (const auto& c : cases) {
        CAPTURE(c.range);
        CHECK(range_below(c.range, bound) == c.below);
    }
}

TEST_CASE("ranges are joined only where neither covers the other") {
    CHECK(joined_ranges("", "<1.0.0") == "<1.0.0");
    CHECK(joined_ranges("<1.0.0", "") == "<1.0.0");
    CHECK(joined_ranges("<2.0.0", "<1.0.0") == "<2.0.0");
    CHECK(joined_ranges("<1.0.0", "<2.0.0") == "<2.0.0");
    CHECK(joined_ranges(">=1.0.0 <2.0.0", "<0.5.0") == ">=1.0.0 <2.0.0 || <0.5.0");
    CHECK(joined_ranges("<1.0.0", "what") == "<1.0.0");
}
