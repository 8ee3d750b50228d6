#include "opcat/semver/release.hpp"

#include <doctest/doctest.h>

using namespace opcat::semver;

TEST_CASE("a release is a list of identifiers of at most 20 bytes") {
    const struct {
        std::string_view text, message;
        size_t offset = 0;
    } cases[] = {
        {"", ""},
        {"1", ""},
        {"git.abc", ""},
        {"18446744073709551615", ""},
        {"aaaaaaaaaaaaaaaaaaaa", ""},
        {"aaaaaaaaaaaaaaaaaaaaa",
         R"(invalid release "aaaaaaaaaaaaaaaaaaaaa": exceeds maximum length of 20 characters)", 20},
        {"éééééééééé1", R"(invalid release "éééééééééé1": exceeds maximum length of 20 characters)", 20},
        {"1.02.",
         "invalid release \"1.02.\": segment 1: Numeric PreRelease version must not contain leading "
         "zeroes \"02\"\nsegment 2: Prerelease is empty",
         2},
        {"a_b", R"(invalid release "a_b": segment 0: Invalid character(s) found in prerelease "a_b")", 0},
        {"18446744073709551616",
         R"(invalid release "18446744073709551616": segment 0: strconv.ParseUint: parsing "18446744073709551616": value out of range)"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto release = Release::parse(c.text);
        REQUIRE(static_cast<bool>(release) == c.message.empty());
        if (release) {
            CHECK(release->to_string() == c.text);
        } else {
            CHECK(release.error().message == c.message);
            CHECK(release.error().offset == c.offset);
        }
    }
}

TEST_CASE("build metadata that makes a release is the release") {
    const struct {
        std::string_view text, version;
        std::optional<std::string_view> release;
    } cases[] = {
        {"1.2.3", "1.2.3", std::nullopt},
        {"1.2.3-rc.1+5", "1.2.3-rc.1", "5"},
        {"1.2.3+git.abc", "1.2.3", "git.abc"},
        {"1.2.3+01", "1.2.3+01", std::nullopt},
        {"1.2.3+aaaaaaaaaaaaaaaaaaaaa", "1.2.3+aaaaaaaaaaaaaaaaaaaaa", std::nullopt},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto parsed = VersionRelease::parse_legacy(c.text);
        REQUIRE(parsed);
        CHECK(parsed->version.to_string() == c.version);
        CHECK(parsed->release.has_value() == c.release.has_value());
        if (c.release) CHECK(parsed->release->to_string() == *c.release);
        CHECK(parsed->to_legacy_string() == c.text);
    }
    CHECK(VersionRelease::parse_legacy("1.2").error().message == "No Major.Minor.Patch elements found");
}

TEST_CASE("an explicit release leaves build metadata in the version") {
    const auto parsed = VersionRelease::parse("1.2.3+git", "4.el9");
    REQUIRE(parsed);
    CHECK(parsed->version.to_string() == "1.2.3+git");
    CHECK(parsed->release->to_string() == "4.el9");

    const auto empty = VersionRelease::parse("1.2.3", "");
    REQUIRE(empty);
    CHECK(empty->release.has_value());
    CHECK(*empty == *VersionRelease::parse_legacy("1.2.3"));

    CHECK(VersionRelease::parse("v1", "01").error().message ==
          R"(error parsing version "v1": No Major.Minor.Patch elements found)");
    CHECK(VersionRelease::parse("1.0.0", "01").error().message ==
          R"(error parsing release "01": invalid release "01": segment 0: )"
          R"(Numeric PreRelease version must not contain leading zeroes "01")");
}

TEST_CASE("releases decide between equal versions") {
    const std::string_view ascending[] = {"1.0.0-rc.1+5", "1.0.0",   "1.0.0+0",       "1.0.0+2", "1.0.0+10",
                                          "1.0.0+10.a",   "1.0.0+a", "1.0.0+git.abc", "1.0.1"};
    for (size_t i = 0; i < std::size(ascending); ++i)
        for (size_t j = 0; j < std::size(ascending); ++j) {
            CAPTURE(ascending[i]);
            CAPTURE(ascending[j]);
            CHECK((*VersionRelease::parse_legacy(ascending[i]) <=>
                   *VersionRelease::parse_legacy(ascending[j])) == (i <=> j));
        }
    CHECK(*VersionRelease::parse_legacy("1.0.0+01") == *VersionRelease::parse_legacy("1.0.0"));
}
