#include "random_text.hpp"
#include "semver/release.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

using namespace opcat::semver;

TEST_CASE("versions follow each other by numbers, then prereleases identifier by identifier") {
    const std::string_view ascending[] = {
        "0.0.0-0",
        "0.0.0",
        "1.0.0--",
        "1.0.0-0",
        "1.0.0-2",
        "1.0.0-10",
        "1.0.0-10.0",
        "1.0.0-18446744073709551615",
        "1.0.0-99999999999999999999", // no number for Masterminds, so after them all
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

TEST_CASE("build metadata has no say in precedence") {
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
