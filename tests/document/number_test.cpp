#include "opcat/document/number.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace opcat;

TEST_CASE("doubles are written as Go writes them, in JSON and in YAML") {
    const struct {
        double value;
        std::string_view json, g;
    } cases[] = {
        {0, "0", "0"},
        {-0.0, "-0", "-0"},
        {1, "1", "1"},
        {-1.5, "-1.5", "-1.5"},
        {100000, "100000", "100000"},
        {1234567.5, "1234567.5", "1.2345675e+06"},
        {123456, "123456", "123456"},
        {1e6, "1000000", "1e+06"},
        {1e20, "100000000000000000000", "1e+20"},
        {1e21, "1e+21", "1e+21"},
        {1.5e300, "1.5e+300", "1.5e+300"},
        {0.0001, "0.0001", "0.0001"},
        {0.00001, "0.00001", "1e-05"},
        {1e-6, "0.000001", "1e-06"},
        {1e-7, "1e-7", "1e-07"},
        {0.1, "0.1", "0.1"},
        {1.0 / 3, "0.3333333333333333", "0.3333333333333333"},
        {5e-324, "5e-324", "5e-324"},
        {std::numeric_limits<double>::max(), "1.7976931348623157e+308", "1.7976931348623157e+308"},
    };
    for (const auto& [value, json, g] : cases) {
        CAPTURE(value);
        std::string text;
        append_json_real(text, value);
        CHECK(text == json);
        text.clear();
        append_g_real(text, value);
        CHECK(text == g);
    }
}

TEST_CASE("keys are rounded to a float first") {
    std::string text;
    append_g_float(text, 0.1F);
    CHECK(text == "0.1");
}

TEST_CASE("written numbers are read back exactly") {
    std::mt19937_64 random{3};
    for (int i = 0; i < 20'000; ++i) {
        const uint64_t bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        std::string json;
        std::string g;
        append_json_real(json, value);
        append_g_real(g, value);
        CAPTURE(json);
        REQUIRE(parse_real(json) == value);
        REQUIRE(parse_real(g) == value);
    }
}

TEST_CASE("numbers are parsed as Go parses them") {
    CHECK(parse_real("1.5") == 1.5);
    CHECK(parse_real("+1.5") == 1.5);
    CHECK(parse_real("1e-400") == 0);
    CHECK(parse_real("-1e-400") == 0);
    for (const std::string_view text :
         {"", "x", "1x", "1e400", "-1e400", "+", "++1", "+-1", " 1", "\t1", "1 ", "0x1", "-0x1p3"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_real(text));
    }
}
