#include "opcat/document/json_writer.hpp"
#include "opcat/document/yaml_scalar.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>

using namespace opcat;

namespace {

std::string shown(const Value& value) {
    if (value.kind() == Value::Kind::real && !std::isfinite(value.real()))
        return fmt::format("{}", value.real());
    std::string text = value.kind() == Value::Kind::real ? "real " : "";
    append_compact_json(text, value);
    return text;
}

} // namespace

TEST_CASE("plain scalars have the types of yaml.v2") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        // words
        {"", "null"},
        {"~", "null"},
        {"null", "null"},
        {"NULL", "null"},
        {"nUll", "\"nUll\""},
        {"y", "true"},
        {"Y", "true"},
        {"yes", "true"},
        {"On", "true"},
        {"TRUE", "true"},
        {"tRUE", "\"tRUE\""},
        {"n", "false"},
        {"No", "false"},
        {"off", "false"},
        {"oFF", "\"oFF\""},
        {".nan", "nan"},
        {".inf", "inf"},
        {"+.INF", "inf"},
        {"-.Inf", "-inf"},
        {"inf", "\"inf\""},
        {"NaN", "\"NaN\""},
        // integers
        {"0", "0"},
        {"-0", "0"},
        {"+1", "1"},
        {"0777", "511"},
        {"0o17", "15"},
        {"0O17", "15"},
        {"0x1F", "31"},
        {"0X1f", "31"},
        {"-0x10", "-16"},
        {"0b101", "5"},
        {"-0b101", "-5"},
        {"0b-101", "-5"},
        {"0b+101", "5"},
        {"-0b-101", "\"-0b-101\""},
        {"0B-101", "\"0B-101\""},
        {"0x-1", "\"0x-1\""},
        {"1_000", "1000"},
        {"1__0_", "10"},
        {"08", "real 8"},
        {"09.5", "real 9.5"},
        {"0xg", "\"0xg\""},
        {"0x", "\"0x\""},
        {"1a", "\"1a\""},
        {"--1", "\"--1\""},
        {"9223372036854775807", "9223372036854775807"},
        {"9223372036854775808", "9223372036854775808"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"18446744073709551616", "real 18446744073709552000"},
        {"+18446744073709551615", "real 18446744073709552000"},
        // floats
        {"1.0", "real 1"},
        {"1.", "real 1"},
        {".5", "real 0.5"},
        {"-.5", "real -0.5"},
        {"1e3", "real 1000"},
        {"1e", "\"1e\""},
        {"1.5e+3", "real 1500"},
        {"1e400", "\"1e400\""},
        {"1e-400", "real 0"},
        {".", "\".\""},
        {"..5", "\"..5\""},
        {"1.2.3", "\"1.2.3\""},
        {"v1.2", "\"v1.2\""},
        {"1_0.5", "real 10.5"},
        {".5_5", "real 0.55"},
        {".5_", "\".5_\""},
        {"0x1p4", "\"0x1p4\""},
        // text
        {"1:30", "\"1:30\""},
        {"2021-01-01", "\"2021-01-01\""},
        {"2021-01-01T00:00:00Z", "\"2021-01-01T00:00:00Z\""},
        {"<<", "\"<<\""},
        {"=", "\"=\""},
        {"1 2", "\"1 2\""},
        {"-", "\"-\""},
        {"+", "\"+\""},
        {"_1", "\"_1\""},
    };
    for (const auto& [text, meaning] : cases) {
        CAPTURE(text);
        CHECK(shown(resolve_plain(text, 0)) == meaning);
    }
}

TEST_CASE("an explicit tag must fit") {
    const struct {
        YamlTag tag;
        std::string_view text, meaning;
    } cases[] = {
        {YamlTag::str, "1", "\"1\""},
        {YamlTag::str, "", "\"\""},
        {YamlTag::integer, "0x10", "16"},
        {YamlTag::integer, "1.5", "-"},
        {YamlTag::integer, "x", "-"},
        {YamlTag::real, "1", "real 1"},
        {YamlTag::real, "1.5", "real 1.5"},
        {YamlTag::real, "x", "-"},
        {YamlTag::boolean, "y", "true"},
        {YamlTag::boolean, "1", "-"},
        {YamlTag::null, "", "null"},
        {YamlTag::null, "x", "-"},
        {YamlTag::timestamp, "2021-1-2", "\"2021-1-2\""},
        {YamlTag::timestamp, "x", "-"},
    };
    for (const auto& [tag, text, meaning] : cases) {
        CAPTURE(text);
        const auto value = resolve_tagged(tag, text, 0);
        CHECK((value ? shown(*value) : "-") == meaning);
    }
}

TEST_CASE("timestamps are distinguished from text") {
    for (const std::string_view text :
         {"2021-01-02", "2021-1-2", "2020-02-29", "2021-01-02T03:04:05Z", "2021-01-02t3:4:5.678Z",
          "2021-01-02T03:04:05+01:00", "2021-01-02 03:04:05", "2021-01-02 03:04:05.5"}) {
        CAPTURE(text);
        CHECK(is_timestamp(text));
    }
    for (const std::string_view text :
         {"2021-13-02", "2021-02-29", "2021-00-01", "21-01-02", "2021-01-02T", "2021-01-02T03:04:05",
          "2021-01-02T25:00:00Z", "2021-01-02 03:04", "2021-01-02x", "20210102", ""}) {
        CAPTURE(text);
        CHECK_FALSE(is_timestamp(text));
    }
}

TEST_CASE("strings that would read as something else need quotes") {
    for (const std::string_view text : {"", "y", "No", "null", "~", "1", "0x1F", "1_000", "1.5", ".inf",
                                        "1:30", "-1:30", "1:2:3.5", "2021-01-02", "08", "+1", "1e3"}) {
        CAPTURE(text);
        CHECK(reads_as_something_else(text));
    }
    for (const std::string_view text :
         {"yeah", "v1", "1.2.3", "1:60x", "a:30", "1:", "nullx", "-", "--", "2021-13-01", "..", "1 "}) {
        CAPTURE(text);
        CHECK_FALSE(reads_as_something_else(text));
    }
}
