// lib/cel/functions.cpp, operators.cpp and time.cpp: the limits of numbers, times and their conversions.
#include "cases.hpp"

using namespace opcat::cel;

TEST_CASE("numbers that do not fit are failures") {
    check({{"9223372036854775806 + 1", "9223372036854775807"},
           {"-9223372036854775807 - 1", "-9223372036854775808"},
           {"-9223372036854775808 - 1", "failure"},
           {"9223372036854775807 * 2", "failure"},
           {"- (-9223372036854775807 - 1)", "failure"},
           {"-9223372036854775808 / -1", "failure"},
           {"-9223372036854775808 % -1", "failure"},
           {"-9223372036854775808 / 2", "-4611686018427387904"},
           {"4 / -1", "-4"},
           {"7 % 0", "failure"},
           {"-7 / 2", "-3"},
           {"-7 % 2", "-1"},
           {"0u - 1u", "failure"},
           {"18446744073709551615u + 1u", "failure"},
           {"18446744073709551615u * 2u", "failure"},
           {"3u - 1u", "2u"},
           {"7u / 2u", "3u"},
           {"7u % 2u", "1u"},
           {"1u / 0u", "failure"},
           {"1u % 0u", "failure"},
           {"1.5 + 2.0", "double(3.5)"},
           {"1.5 - 2.0", "double(-0.5)"},
           {"1.5 * 2.0", "double(3)"},
           {"- (1.5)", "double(-1.5)"},
           {"dyn(1) - 2.0", "failure"},
           {"dyn(1.0) * 2", "failure"},
           {"dyn(1.0) / 2", "failure"},
           {"dyn(1u) + 2", "failure"},
           {"dyn(4u) / 2", "failure"},
           {"dyn(4) / 2u", "failure"},
           {"dyn(7u) % 2", "failure"},
           {"dyn(7) % 2u", "failure"},
           {"dyn([1]) + 'a'", "failure"},
           {"dyn('a') + b'a'", "failure"},
           {"[1] + [2, 3, 4] + []", "[1, 2, 3, 4]"},
           {"b'a' + b'bc'", "b616263"}});
}

TEST_CASE("conversions of numbers") {
    check({{"int(-4.9)", "-4"},
           {"int('+5')", "5"},
           {"int('+-5')", "failure"},
           {"int('5 ')", "failure"},
           {"int('9223372036854775808')", "failure"},
           {"int(9223372036854775807u)", "9223372036854775807"},
           {"int(9223372036854775808u)", "failure"},
           {"int(9223372036854774784.0)", "9223372036854774784"},
           {"int(9223372036854775808.0)", "failure"},
           {"int(-9223372036854774784.0)", "-9223372036854774784"},
           {"int(-9223372036854775808.0)", "failure"},
           {"int(-9223372036854777856.0)", "failure"},
           {"int(0.0 / 0.0)", "failure"},
           {"int(timestamp(7))", "7"},
           {"uint(0)", "0u"},
           {"uint(1.9)", "1u"},
           {"uint(-0.5)", "failure"},
           {"uint(18446744073709549568.0)", "18446744073709549568u"},
           {"uint(18446744073709551616.0)", "failure"},
           {"uint('7')", "7u"},
           {"uint('+7')", "failure"},
           {"uint('-7')", "failure"},
           {"double(3)", "double(3)"},
           {"double(3u)", "double(3)"},
           {"double('1e400')", "failure"},
           {"double('-Inf') < 0.0", "true"},
           {"string(1.0 / 0.0)", "\"+Inf\""},
           {"string(-1.0 / 0.0)", "\"-Inf\""},
           {"string(0.0 / 0.0)", "\"NaN\""},
           {"string(-5) + string(5u)", "\"-55\""},
           {"string(b'ab')", "\"ab\""},
           {"string(b'\\xff')", "failure"},
           {"bool('False')", "false"},
           {"bool('yes')", "failure"},
           {"bool(true)", "true"}});
}

TEST_CASE("numbers of different types have one order, and are one key") {
    check({{"dyn(18446744073709551615u) > 9223372036854775807", "true"},
           {"dyn(-1) < 0u", "true"},
           {"dyn(0) == 0u && dyn(0) <= 0u && dyn(0) >= 0u", "true"},
           {"dyn(0u) > -1", "true"},
           {"dyn(9223372036854775807) < 9223372036854775808.0", "true"},
           {"dyn(-9223372036854775808) >= -9223372036854775808.0", "true"},
           {"dyn(-9223372036854775808) <= -9223372036854775808.0", "true"},
           {"dyn(-9223372036854775808) > -9223372036854777856.0", "true"},
           {"dyn(18446744073709551615u) < 18446744073709551616.0", "true"},
           {"dyn(2u) == 2.0 && dyn(2u) >= 2.0 && dyn(2u) <= 2.0", "true"},
           {"dyn(2u) < 2.5 && dyn(2) < 2.5 && dyn(3) > 2.5", "true"},
           {"dyn(-1) == 18446744073709551615u", "false"},
           {"b'a' < b'b'", "true"},
           {"dyn(b'a') < 'b'", "failure"},
           {"dyn({'a': 1}) == [1]", "false"},
           {"dyn([1]) == {'a': 1}", "false"},
           {"false < true", "true"},
           {"true <= false", "false"},
           {"{9223372036854775807u: 'x'}[dyn(9223372036854775807)]", "\"x\""},
           {"{9223372036854775808u: 'x'}[dyn(9223372036854775808.0)]", "\"x\""},
           {"{9223372036854775807: 'x'}[dyn(9223372036854775808.0)]", "failure"},
           {"{-9223372036854775808: 'x'}[dyn(-9223372036854775808.0)]", "\"x\""},
           {"{0: 'x'}[dyn(-0.0)]", "\"x\""},
           {"{0: 'x'}[dyn(18446744073709551616.0)]", "failure"},
           {"{1: 'x'}[dyn(1.5)]", "failure"},
           {"{true: 'x'}[true]", "\"x\""},
           {"{dyn(1.5): 'x'}.size()", "failure"},
           {"{'a': 1, 'a': 2}", "failure"},
           {"dyn(1.0) in [1]", "true"},
           {"dyn(1u) in {1: 'x'}", "true"}});
}

TEST_CASE("parts of times") {
    const std::string_view time = "timestamp('2024-02-29T12:34:56.789Z')";
    const struct {
        std::string_view part;
        std::string_view utc, west; // '-13:15'
    } parts[] = {
        {"getFullYear", "2024", "2024"},   {"getMonth", "1", "1"},        {"getDayOfYear", "59", "58"},
        {"getDate", "29", "28"},           {"getDayOfMonth", "28", "27"}, {"getDayOfWeek", "4", "3"},
        {"getHours", "12", "23"},          {"getMinutes", "34", "19"},    {"getSeconds", "56", "56"},
        {"getMilliseconds", "789", "789"},
    };
    for (const auto& p : parts) {
        CAPTURE(p.part);
        CHECK(ask(fmt::format("{}.{}()", time, p.part)) == p.utc);
        CHECK(ask(fmt::format("{}.{}('-13:15')", time, p.part)) == p.west);
    }
    check({{"duration('1h2m3.5s').getHours()", "1"},
           {"duration('1h2m3.5s').getMinutes()", "62"},
           {"duration('1h2m3.5s').getSeconds()", "3723"},
           {"duration('1h2m3.5s').getMilliseconds()", "3723500"},
           {"timestamp('2023-03-01T00:00:00Z').getDayOfYear()", "59"},
           {"timestamp('2000-03-01T00:00:00Z').getDayOfYear()", "60"},
           {"timestamp('1900-03-01T00:00:00Z').getDayOfYear()", "59"},
           {"timestamp('1969-12-31T23:59:59Z').getDayOfWeek()", "3"},
           {"timestamp(0).getHours('02:00')", "2"},
           {"timestamp(0).getHours('+2')", "failure"}});
}

TEST_CASE("times: texts, sums, differences and limits") {
    check(
        {{"string(timestamp('2024-01-01T02:00:00+02:00'))", "\"2024-01-01T00:00:00Z\""},
         {"string(timestamp('2024-01-01T00:00:00-00:30'))", "\"2024-01-01T00:30:00Z\""},
         {"string(timestamp('2024-01-01T00:00:00.5Z') + duration('500ms'))", "\"2024-01-01T00:00:01Z\""},
         {"string(timestamp('2024-01-01T00:00:00Z') - duration('0.25s'))", "\"2023-12-31T23:59:59.75Z\""},
         {"string(duration('1s') + timestamp(0))", "\"1970-01-01T00:00:01Z\""},
         {"string(timestamp('2024-01-01T00:00:01.25Z') - timestamp('2024-01-01T00:00:00.5Z'))", "\"0.75s\""},
         {"string(timestamp('2024-01-01T00:00:00.5Z') - timestamp('2024-01-01T00:00:01.25Z'))", "\"-0.75s\""},
         {"timestamp('9999-12-31T23:59:59Z') + duration('1s')", "failure"},
         {"timestamp('0001-01-01T00:00:00Z') - duration('1ns')", "failure"},
         {"timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')", "failure"},
         {"timestamp('0000-12-31T23:59:59Z')", "failure"},
         {"timestamp('2024-13-01T00:00:00Z')", "failure"},
         {"timestamp('2024-01-32T00:00:00Z')", "failure"},
         {"timestamp('2023-02-29T00:00:00Z')", "failure"},
         {"timestamp('2024-01-01T24:00:00Z')", "failure"},
         {"timestamp('2024-01-01T23:60:00Z')", "failure"},
         {"timestamp('2024-01-01T23:59:60Z')", "failure"},
         {"timestamp('2024-01-01 00:00:00Z')", "failure"},
         {"timestamp('2024-01-01T00:00:00')", "failure"},
         {"timestamp('2024-01-01T00:00:00Z') < timestamp('2024-01-01T00:00:00.1Z')", "true"},
         {"string(duration('0s'))", "\"0s\""},
         {"string(timestamp('0001-01-01T00:00:01Z') - duration('1s'))", "\"0001-01-01T00:00:00Z\""},
         {"string(timestamp('9999-12-31T23:59:58Z') + duration('1s'))", "\"9999-12-31T23:59:59Z\""},
         {"string(duration('-1.5h'))", "\"-5400s\""},
         {"string(duration('1us') + duration('1ns'))", "\"0.000001001s\""},
         {"string(duration('1s') - duration('1m'))", "\"-59s\""},
         {"duration('1')", "failure"},
         {"duration('1d')", "failure"},
         {"duration('')", "failure"},
         {"duration('0')  == duration('0s')", "true"},
         {"duration('2562047h47m16.854775807s') + duration('1ns')", "failure"},
         {"duration('0.12345678901234567890s') == duration('123456789ns')", "true"},
         {"duration('2562047h47m16.854775808s')", "failure"},
         {"duration('-2562047h47m16.854775808s') < duration('-2562047h47m16.854775807s')", "true"},
         {"duration('-2562047h47m16.854775809s')", "failure"},
         {"duration('2562048h')", "failure"}});
}
