#include "opcat/policy/python_versions.hpp"

#include <doctest/doctest.h>

using namespace opcat::policy;

namespace {

std::string why_no_version(std::string_view text) {
    try {
        semantic_version(text);
    } catch (const PythonError& error) {
        return error.message();
    }
    return "";
}

} // namespace

TEST_CASE("semantic_version takes strict versions only") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"1.2.3", ""},
        {"1.2.3-rc.1+b.01", ""},
        {"", "Invalid empty version string: ''"},
        {"1.2", "Invalid version string: '1.2'"},
        {"v1.2.3", "Invalid version string: 'v1.2.3'"},
        {"01.2.3", "Invalid leading zero in major: '01.2.3'"},
        {"1.2.3-01", "Invalid leading zero in identifier '01'"},
        {"1.2.3-a..b", "Invalid empty identifier '' in 'a..b'"},
    };
    for (const auto& [text, why] : cases) {
        CAPTURE(text);
        CHECK(why_no_version(text) == why);
    }
    CHECK(semantic_version("1.0.0-rc.2").before(semantic_version("1.0.0-rc.10")));
    CHECK(semantic_version("1.0.0-1").before(semantic_version("1.0.0-a")));
    CHECK(semantic_version("1.0.0-a").before(semantic_version("1.0.0")));
    CHECK(semantic_version("1.0.0+a") != semantic_version("1.0.0"));
}

TEST_CASE("a range of npm contains what Python's semantic_version says") {
    struct Case {
        std::string_view range, version;
        bool contained;
    };
    const Case cases[] = {
        {">=1.0.0 <1.2.0", "1.1.9", true},
        {">=1.0.0 <1.2.0", "1.2.0", false},
        {">=1.0.0 <1.2.0", "1.2.0-rc.1", false},
        {">=1.0.0-a <1.2.0", "1.0.0-b", true},
        {">=1.0.0-a <1.2.0", "1.1.0-b", false},
        {"<1.2.0-b", "1.2.0-a", true},
        {"^1.2", "1.9.0", true},
        {"^0.2.3", "0.3.0", false},
        {"^0.0.3", "0.0.4", false},
        {"~1.2.3", "1.2.9", true},
        {"~1", "1.9.0", true},
        {"1.x", "1.5.0", true},
        {"1.0.0 - 1.2.0", "1.2.0", true},
        {"1.0.0 - 1.2", "1.2.9", true},
        {">1.2", "1.2.9", false},
        {"<=1.2", "1.2.9", true},
        {"*", "3.0.0", true},
        {"", "3.0.0", true},
        {"1.0.0 || 2.0.0", "2.0.0", true},
        {"=1.0.0+a", "1.0.0+b", false},
        {"v1.0.0", "1.0.0+b", true},
    };
    for (const Case& one : cases) {
        CAPTURE(one.range);
        CAPTURE(one.version);
        CHECK(NpmRange(one.range).contains(semantic_version(one.version)) == one.contained);
    }
    for (const std::string_view wrong : {">= 1.0.0", "1.0.0,2.0.0", "01.0.0", "~*", "1.x-a"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(NpmRange{wrong}, PythonError);
    }
}

TEST_CASE("semver may leave out minor and patch") {
    CHECK(semver_version("1.25", true) == PythonVersion{1, 25});
    CHECK(semver_version("1.25.0-rc.1+x").prerelease.size() == 2);
    for (const std::string_view wrong : {"v1.25.0", "1.25.01", "1.2.3.4", "1.2.3-01", ""}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(semver_version(wrong, true), PythonError);
    }
    CHECK_THROWS_AS(semver_version("1.25"), PythonError);
}
