#include "opcat/semver/constraints.hpp"
#include "parsed.hpp"
#include "random_text.hpp"

#include <doctest/doctest.h>

using namespace opcat::semver;

TEST_CASE("constraints contain the same versions as in Masterminds") {
    const struct {
        std::string_view constraints;
        std::vector<std::string_view> in, out;
    } cases[] = {
        {"1.2.3", {"1.2.3", "1.2.3+b"}, {"1.2.4", "1.2.3-rc"}},
        {"v01.2.3", {"1.2.3"}, {"1.2.4"}},
        {"=1.2", {"1.2.0", "1.2.9"}, {"1.3.0", "1.1.9"}},
        {"1.x.3", {"1.0.0", "1.9.9"}, {"2.0.0"}},
        {"*", {"0.0.0", "9.9.9"}, {"1.0.0-rc"}},
        {"*-0", {"0.0.0", "1.0.0-rc"}, {}},
        {"!=1.2.3", {"1.2.4"}, {"1.2.3", "1.2.3+b"}},
        {"!=1.x", {"2.0.0"}, {"1.0.0", "1.9.9"}},
        {"!=1.2.x", {"1.3.0", "2.0.0"}, {"1.2.0", "1.2.9"}},
        {"!=*", {"0.0.1", "1.0.0"}, {"0.0.0"}},
        {">1", {"2.0.0"}, {"1.9.9"}},
        {">1.2", {"1.3.0"}, {"1.2.9"}},
        {">1.2.3", {"1.2.4"}, {"1.2.3"}},
        {">*", {"0.0.1"}, {"0.0.0"}},
        {"<1.2", {"1.1.9"}, {"1.2.0"}},
        {"<*", {}, {"0.0.0", "1.0.0"}},
        {">=1.2, <2", {"1.2.0", "1.9.9"}, {"2.0.0", "1.9.0-rc"}},
        {">=1.2.0-rc, <2", {"1.2.0-rc", "1.2.0", "1.3.0-a"}, {"1.2.0-beta", "2.0.0"}},
        {"=>1.2 =<1.4", {"1.2.0", "1.4.9"}, {"1.5.0"}},
        {"<=1", {"1.9.9"}, {"2.0.0"}},
        {"<=*", {"0.0.9"}, {"0.1.0"}},
        {"~1.2.3", {"1.2.9"}, {"1.3.0", "1.2.2"}},
        {"~>1", {"1.9.0"}, {"2.0.0"}},
        {"~0.2.3", {"0.2.9"}, {"0.3.0", "0.2.2", "1.0.0"}},
        {"~0.0.3", {"0.0.9"}, {"0.1.0", "0.0.2"}},
        {"~1.0.0", {"1.0.9"}, {"1.1.0", "2.0.0"}},
        {"~0.0.0", {"0.0.0", "9.9.9"}, {}},
        {"^1.2", {"1.2.0", "1.9.0"}, {"2.0.0", "1.1.0"}},
        {"^0.2.3", {"0.2.9"}, {"0.3.0", "0.2.2", "1.0.0"}},
        {"^0.0.3", {"0.0.3"}, {"0.0.4", "0.1.0"}},
        {"^0.0", {"0.0.9"}, {"0.1.0"}},
        {"^0", {"0.9.9"}, {"1.0.0"}},
        {"^*", {"0.0.0"}, {"0.0.1", "1.0.0"}},
        {"1.2 - 1.4.5", {"1.2.0", "1.4.5"}, {"1.1.9", "1.4.6"}},
        {"1.2 - 1.4", {"1.4.9"}, {"1.5.0"}},
        {"1.2 - 1.4 || 3", {"1.3.0", "3.1.0"}, {"2.0.0"}},
        {">=1.2.3-0 <2", {"1.9.0-rc.1", "1.2.3-rc"}, {"2.0.0", "1.2.2"}},
        {">=1.2.3-0 || 3", {"1.9.0-rc.1"}, {"1.2.2"}},
        {"3 || <1.0.0-0", {"0.9.0-rc"}, {"3.1.0-rc"}},
        {" 1 , 2 || 3 ", {"3.0.0"}, {"1.0.0"}},
        {"<1.2.3-99999999999999999999", {"1.2.3-18446744073709551615"}, {"1.2.3-a"}}, // it is text
    };
    for (const auto& c : cases) {
        CAPTURE(c.constraints);
        const auto constraints = Constraints::parse(c.constraints);
        REQUIRE(constraints);
        for (const std::string_view version : c.in) {
            CAPTURE(version);
            CHECK(constraints->check(v(version)));
        }
        for (const std::string_view version : c.out) {
            CAPTURE(version);
            CHECK_FALSE(constraints->check(v(version)));
        }
    }
}

TEST_CASE("wrong constraints are refused in Masterminds' words, with the place in what the user wrote") {
    std::string groups = "1";
    for (int i = 0; i < 32; ++i) groups += "||1";
    const std::string many(513, '1');
    const std::string long_version = "1.2.3+" + std::string(251, 'a');
    const struct {
        std::string_view constraints, message;
        size_t offset, length;
    } cases[] = {
        {"", R"(improper constraint: "")", 0, 0},
        {" \t", R"(improper constraint: " \t")", 2, 0},
        {"1 ||", R"(improper constraint: "")", 4, 0},
        {"1||a", R"(improper constraint: "a")", 3, 1},
        {"==1", R"(improper constraint: "==1")", 0, 1},
        {">=1<2", R"(improper constraint: ">=1<2")", 3, 1},
        {">=1,,<2", R"(improper constraint: ">=1,,<2")", 4, 1},
        {">=1, ", R"(improper constraint: ">=1, ")", 5, 0},
        {">=1\v<2", R"(improper constraint: ">=1\v<2")", 3, 1},
        {"1.2.3.4", R"(improper constraint: "1.2.3.4")", 5, 1},
        {"1.2.3-", R"(improper constraint: "1.2.3-")", 5, 1},
        {"1.2 -1.4", R"(improper constraint: "1.2 -1.4")", 4, 1},
        {"~1 - 2", R"(improper constraint: "~>= 1, <= 2 ")", 0, 1},
        {"1.2 - 1.4||3 - 4", R"(improper constraint: "3 - 4")", 13, 1},
        {"1 - 2 foo", R"(improper constraint: ">= 1, <= 2 foo")", 6, 1},
        {">=1 1x", "constraint parser error", 4, 2},
        {"3 || 1|2", "constraint parser error", 5, 3},
        {"1.2.3-01", "constraint parser error", 0, 8},
        {"1 - 18446744073709551616", "constraint parser error", 4, 20},
        {long_version, "constraint parser error", 0, 257},
        {groups, "too many constraint groups (max 32)", 96, 1},
        {many, "constraint string is too long (max 512 bytes)", 512, 1},
    };
    for (const auto& c : cases) {
        CAPTURE(c.constraints);
        const auto constraints = Constraints::parse(c.constraints);
        REQUIRE_FALSE(constraints);
        CHECK(constraints.error().message == c.message);
        CHECK(constraints.error().offset == c.offset);
        CHECK(constraints.error().length == c.length);
    }
}

TEST_CASE("constraints explain why a version is excluded") {
    const auto constraints = Constraints::parse(">= 1.2, <2 || ^3");
    REQUIRE(constraints);
    CHECK(constraints->why_not(v("2.5.0")) == std::vector<std::string>{"<2", "^3"});
    CHECK(constraints->why_not(v("1.5.0-rc")) ==
          std::vector<std::string>{">= 1.2 (takes no prereleases)", "^3"});
}

TEST_CASE("no text makes the parser of constraints crash or report a place outside of it") {
    RandomText random;
    const Version version = v("1.2.3-rc.1");
    for (int i = 0; i < 20000; ++i) {
        const std::string text = random.range();
        CAPTURE(text);
        const auto constraints = Constraints::parse(text);
        if (!constraints) {
            REQUIRE(constraints.error().offset + constraints.error().length <= text.size());
            continue;
        }
        if (!constraints->check(version)) REQUIRE_FALSE(constraints->why_not(version).empty());
    }
}

TEST_CASE("what the API server admits as a version differs from what the library reads") {
    for (const std::string_view admitted :
         {"1", "v1.2.3", ">=1.0.0, <2.0.0", "1||2", "*", "|", "||| 1", "1.*", "1.2.*", "1.*]", "1 || *]",
          "1 || 1.*]", "1 || 1.*", " ~> 1.x-rc.1+b ", "1.2.3-01", "99999999999999999999"}) {
        CAPTURE(admitted);
        CHECK(is_admitted_by_cluster_extension(admitted));
    }
    for (const std::string_view refused :
         {"", " ", "01", "1.02", "1 - 2", "1.*.*", ">=1 || *", "1, 1.2.*", "==1", "1|2", "1 || |", "1,,2",
          "1 ||", "1.2.3.4", "a", "1.2.3-", "1]"}) {
        CAPTURE(refused);
        CHECK_FALSE(is_admitted_by_cluster_extension(refused));
    }
    CHECK(is_admitted_by_cluster_extension("1.2.3-" + std::string(58, 'a')));
    CHECK_FALSE(is_admitted_by_cluster_extension("1.2.3-" + std::string(59, 'a')));
}
