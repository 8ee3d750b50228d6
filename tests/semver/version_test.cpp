#include "opcat/semver/release.hpp"
#include "opcat/semver/version.hpp"
#include "random_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

using namespace opcat;
using namespace opcat::semver;

namespace {

struct Case {
    std::string_view text;
    std::string_view result; // as to_string, or the message
    int error_at = -1;       // where the error is, if it is one
};

template <size_t count>
void check(Parsed<Version> (*parse)(std::string_view), const Case (&cases)[count]) {
    for (const Case& c : cases) {
        CAPTURE(c.text);
        const auto version = parse(c.text);
        REQUIRE(static_cast<bool>(version) == (c.error_at < 0));
        if (version) {
            CHECK(version->to_string() == c.result);
        } else {
            CHECK(version.error().message == c.result);
            CHECK(version.error().offset == static_cast<size_t>(c.error_at));
        }
    }
}

} // namespace

TEST_CASE("a bundle's version is read strictly") {
    const Case cases[] = {
        {"0.0.0", "0.0.0"},
        {"1.2.3-rc.1+git.007", "1.2.3-rc.1+git.007"},
        {"1.2.3--", "1.2.3--"},
        {"1.2.3+a-b", "1.2.3+a-b"},
        {"18446744073709551615.0.0", "18446744073709551615.0.0"},
        {"", "Version string empty", 0},
        {"1", "No Major.Minor.Patch elements found", 1},
        {"1.2-a.b+c", R"(Invalid character(s) found in minor number "2-a")", 2},
        {"v1.2.3", R"(Invalid character(s) found in major number "v1")", 0},
        {" 1.2.3", R"(Invalid character(s) found in major number " 1")", 0},
        {"1.-2.3", R"(Invalid character(s) found in minor number "-2")", 2},
        {"1.2.3.4", R"(Invalid character(s) found in patch number "3.4")", 4},
        {"01.2.3", R"(Major number must not contain leading zeroes "01")", 0},
        {"1.02.3", R"(Minor number must not contain leading zeroes "02")", 2},
        {"1.2.00", R"(Patch number must not contain leading zeroes "00")", 4},
        {"..", R"(strconv.ParseUint: parsing "": invalid syntax)", 0},
        {"1.2.", R"(strconv.ParseUint: parsing "": invalid syntax)", 4},
        {"18446744073709551616.0.0",
         R"(strconv.ParseUint: parsing "18446744073709551616": value out of range)", 0},
        {"1.2.3-", "Prerelease is empty", 6},
        {"1.2.3-a..b", "Prerelease is empty", 8},
        {"1.2.3-a.01", R"(Numeric PreRelease version must not contain leading zeroes "01")", 8},
        {"1.2.3-99999999999999999999",
         R"(strconv.ParseUint: parsing "99999999999999999999": value out of range)", 6},
        {"1.2.3-a_b", R"(Invalid character(s) found in prerelease "a_b")", 6},
        {"1.2.3+", "Build meta data is empty", 6},
        {"1.2.3+a.é", R"(Invalid character(s) found in build meta data "é")", 8},
        {"1.2.3+a+b", R"(Invalid character(s) found in build meta data "a+b")", 6},
        {"1.2.3-01+_", R"(Numeric PreRelease version must not contain leading zeroes "01")", 6},
    };
    check(Version::parse, cases);
}

TEST_CASE("the tolerant form accepts white space, a v, leading zeros and missing numbers") {
    const Case cases[] = {
        {" v1.2.3\n", "1.2.3"},
        {"\u00a01\u2003", "1.0.0"},
        {"01.002.0003", "1.2.3"},
        {"1.2.03-rc", "1.2.3-rc"},
        {"000.0.00", "0.0.0"},
        {"1.2.-rc", "1.2.0-rc"},
        {"v1.2", "1.2.0"},
        {"", R"(strconv.ParseUint: parsing "": invalid syntax)", 0},
        {"v", R"(strconv.ParseUint: parsing "": invalid syntax)", 1},
        {"V1.2.3", R"(Invalid character(s) found in major number "0V1")", 0},
        {"vv1", R"(Invalid character(s) found in major number "0v1")", 1},
        {"1.2-rc", "Short version cannot contain PreRelease/Build meta data", 3},
        {"1+b", "Short version cannot contain PreRelease/Build meta data", 1},
        {"  v001.02.3-0x.01", R"(Numeric PreRelease version must not contain leading zeroes "01")", 15},
        {"1.2.00-rc.01", R"(Numeric PreRelease version must not contain leading zeroes "01")", 10},
        {"1..3", R"(strconv.ParseUint: parsing "": invalid syntax)", 2},
    };
    check(Version::parse_tolerant, cases);
}

TEST_CASE("an error of the tolerant form is in the given text, not in the corrected one") {
    const struct {
        std::string_view text, part;
        size_t offset;
    } cases[] = {
        {"  v001.02.3-0x.01", "01", 15}, {"v1.00a.3", "a", 5},      {"v00a.2", "a", 3},
        {"1.2.0003-01", "01", 9},        {"001.2.3_4-5", "3_4", 6}, {"1..3", "", 2},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto version = Version::parse_tolerant(c.text);
        REQUIRE_FALSE(version);
        CHECK(version.error().offset == c.offset);
        CHECK(c.text.substr(version.error().offset, version.error().length) == c.part);
    }
}

TEST_CASE("Masterminds' coercing form accepts a v, leading zeros and missing numbers") {
    const std::string long_build = "1.2.3+" + std::string(251, 'a');
    const Case cases[] = {
        {"v1", "1.0.0"},
        {"1.2-rc.1+b", "1.2.0-rc.1+b"},
        {"01.002.0003", "1.2.3"},
        {"1.2.3-99999999999999999999", "1.2.3-99999999999999999999"},
        {"1+001", "1.0.0+001"},
        {"", "invalid semantic version", 0},
        {" 1", "invalid semantic version", 0},
        {"V1", "invalid semantic version", 0},
        {"1.", "invalid semantic version", 2},
        {"1.2.3.4", "invalid semantic version", 5},
        {"1.2.3-", "invalid semantic version", 6},
        {"1.2.3-a..b", "invalid semantic version", 7},
        {"1.2.3-a_b", "invalid semantic version", 7},
        {"1.2.3+", "invalid semantic version", 6},
        {"1.18446744073709551616-01",
         R"(error parsing version segment: strconv.ParseUint: parsing "18446744073709551616": value out of range)",
         2},
        {"1.2.3-a.01", "version segment starts with 0", 8},
        {long_build, "version string is too long (max 256 bytes)", 256},
    };
    check(Version::parse_coercing, cases);
}

TEST_CASE("Masterminds' strict form checks metadata, prerelease and numbers in this order") {
    const std::string longest = "1.2.3+" + std::string(250, 'a');
    const std::string too_long = longest + "a";
    const Case cases[] = {
        {longest, longest},
        {too_long, "version string is too long (max 256 bytes)", 256},
        {"1.2.3-rc.1+b.01", "1.2.3-rc.1+b.01"},
        {"1.2.3-99999999999999999999", "1.2.3-99999999999999999999"},
        {"", "version string empty", 0},
        {"1.2", "invalid semantic version", 3},
        {"x.y.z-01+_", "invalid metadata string", 9},
        {"1.2.3+", "invalid metadata string", 6},
        {"1.2.3+a..b", "invalid metadata string", 7},
        {"x.y.z-01", "version segment starts with 0", 6},
        {"x.y.z-a..01", "invalid prerelease string", 8},
        {"1.2.3-", "invalid prerelease string", 6},
        {"v1.2.3", "invalid characters in version", 0},
        {"01.x.3", "version segment starts with 0", 0},
        {"1.2.3.4", "invalid characters in version", 4},
        {"1..3", R"(strconv.ParseUint: parsing "": invalid syntax)", 2},
        {"1.18446744073709551616.3",
         R"(strconv.ParseUint: parsing "18446744073709551616": value out of range)", 2},
    };
    check(Version::parse_masterminds_strict, cases);
}

TEST_CASE("a parsed version is written unchanged, and all forms agree on it") {
    RandomText random;
    for (int i = 0; i < 5000; ++i) {
        const std::string text = random.version();
        CAPTURE(text);
        for (const auto parse : {Version::parse, Version::parse_tolerant, Version::parse_coercing,
                                 Version::parse_masterminds_strict}) {
            const auto version = parse(text);
            REQUIRE(version);
            REQUIRE(version->to_string() == text);
        }
    }
}

TEST_CASE("versions are ordered by numbers, then by prerelease identifiers") {
    const std::string_view ascending[] = {
        "0.0.0-0",
        "0.0.0",
        "1.0.0--",
        "1.0.0-0",
        "1.0.0-2",
        "1.0.0-10",
        "1.0.0-10.0",
        "1.0.0-18446744073709551615",
        "1.0.0-99999999999999999999", // not a number for Masterminds, so it comes after all numbers
        "1.0.0-A",
        "1.0.0-a",
        "1.0.0-a.1",
        "1.0.0-a.b",
        "1.0.0-ab",
        "1.0.0",
        "1.0.1",
        "1.2.0",
        "1.10.0",
        "18446744073709551615.0.0",
    };
    std::vector<Version> versions;
    for (const std::string_view text : ascending) versions.push_back(*Version::parse_coercing(text));
    // "-" is a text of a lower byte than any letter but comes after numbers.
    std::rotate(versions.begin() + 2, versions.begin() + 3, versions.begin() + 8);
    for (size_t i = 0; i < versions.size(); ++i)
        for (size_t j = 0; j < versions.size(); ++j) {
            CAPTURE(versions[i].to_string());
            CAPTURE(versions[j].to_string());
            CHECK((versions[i] <=> versions[j]) == (i <=> j));
        }
}

TEST_CASE("build metadata does not affect precedence") {
    CHECK(*Version::parse("1.2.3+1") == *Version::parse("1.2.3+2"));
    CHECK(*Version::parse("1.2.3-a+1") == *Version::parse("1.2.3-a"));
}

TEST_CASE("the order of versions and releases is total") {
    RandomText random;
    std::vector<VersionRelease> all;
    for (int i = 0; i < 120; ++i) all.push_back(*VersionRelease::parse_legacy(random.version()));
    for (const auto& a : all) {
        REQUIRE(a == a);
        for (const auto& b : all) {
            REQUIRE((a < b) == (b > a));
            REQUIRE((a == b) == (b == a));
            for (const auto& c : all)
                if (a <= b && b <= c) REQUIRE(a <= c);
        }
    }
}
