#include "opcat/policy/python_scalars.hpp"

#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

namespace opcat::policy {
namespace {

constexpr std::string_view decimal = "0123456789";
constexpr std::string_view decimal_or_bar = "0123456789_";

// Reads a pattern from the front of a text.
class Cursor {
public:
    explicit Cursor(std::string_view text) : text_(text) {}

    bool at_end() const { return at_ == text_.size(); }
    char next() const { return at_end() ? '\0' : text_[at_]; }
    bool take(char c) {
        if (next() != c || at_end()) return false;
        ++at_;
        return true;
    }
    bool take_any(std::string_view characters) {
        if (at_end() || characters.find(text_[at_]) == std::string_view::npos) return false;
        ++at_;
        return true;
    }
    size_t take_all(std::string_view characters, size_t most = std::string_view::npos) {
        size_t count = 0;
        while (count < most && take_any(characters)) ++count;
        return count;
    }
    std::string_view rest() const { return text_.substr(at_); }

private:
    std::string_view text_;
    size_t at_ = 0;
};

bool is_boolean(std::string_view text) {
    return is_one_of(text, {"yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false", "False",
                            "FALSE", "on", "On", "ON", "off", "Off", "OFF"});
}

// (:[0-5]?[0-9])+
bool take_sixties(Cursor& cursor) {
    bool any = false;
    while (cursor.take(':')) {
        const std::string_view rest = cursor.rest();
        if (rest.size() > 1 && rest[0] <= '5' && is_digit(rest[0]) && is_digit(rest[1]))
            cursor.take_all(decimal, 2);
        else if (!cursor.take_any(decimal))
            return false;
        any = true;
    }
    return any;
}

bool is_float(std::string_view text) {
    const auto takes_exponent = [](Cursor& cursor) {
        if (!cursor.take_any("eE")) return true;
        return cursor.take_any("+-") && cursor.take_all(decimal) > 0;
    };
    if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return true;
    Cursor cursor(text);
    const bool has_sign = cursor.take_any("+-");
    if (is_one_of(cursor.rest(), {".inf", ".Inf", ".INF"})) return true;
    if (cursor.take('.'))
        return !has_sign && cursor.take_any(decimal) &&
               (cursor.take_all(decimal_or_bar), takes_exponent(cursor)) && cursor.at_end();
    if (!cursor.take_any(decimal)) return false;
    cursor.take_all(decimal_or_bar);
    if (cursor.next() == ':') {
        if (!take_sixties(cursor) || !cursor.take('.')) return false;
        cursor.take_all(decimal_or_bar);
        return cursor.at_end();
    }
    if (!cursor.take('.')) return false;
    cursor.take_all(decimal_or_bar);
    return takes_exponent(cursor) && cursor.at_end();
}

bool is_integer(std::string_view text) {
    Cursor cursor(text);
    cursor.take_any("+-");
    if (cursor.take('0')) {
        if (cursor.at_end()) return true;
        if (cursor.take('b')) return cursor.take_all("01_") > 0 && cursor.at_end();
        if (cursor.take('x')) return cursor.take_all("0123456789abcdefABCDEF_") > 0 && cursor.at_end();
        return cursor.take_all("01234567_") > 0 && cursor.at_end();
    }
    if (!cursor.take_any("123456789")) return false;
    cursor.take_all(decimal_or_bar);
    return cursor.at_end() || (take_sixties(cursor) && cursor.at_end());
}

// The groups of PyYAML's pattern of timestamps.
struct Timestamp {
    std::array<int, 6> numbers{}; // year to second
    std::string fraction;
    bool has_time = false;
    bool has_zone = false;
    int zone_minutes = 0;
};

// Between `least` and `most` digits.
bool take_number(Cursor& cursor, size_t least, size_t most, int& number) {
    const std::string_view before = cursor.rest();
    const size_t count = cursor.take_all(decimal, most);
    if (count < least) return false;
    std::from_chars(before.data(), before.data() + count, number);
    return true;
}

std::optional<Timestamp> timestamp_of(std::string_view text) {
    Timestamp result;
    auto& [year, month, day, hour, minute, second] = result.numbers;
    Cursor cursor(text);
    if (!take_number(cursor, 4, 4, year) || !cursor.take('-') || !take_number(cursor, 1, 2, month) ||
        !cursor.take('-') || !take_number(cursor, 1, 2, day))
        return std::nullopt;
    if (cursor.at_end()) return text.size() == 10 ? std::optional(result) : std::nullopt;
    result.has_time = true;
    if (!cursor.take_any("Tt") && cursor.take_all(" \t") == 0) return std::nullopt;
    if (!take_number(cursor, 1, 2, hour) || !cursor.take(':') || !take_number(cursor, 2, 2, minute) ||
        !cursor.take(':') || !take_number(cursor, 2, 2, second))
        return std::nullopt;
    if (cursor.take('.')) {
        const std::string_view rest = cursor.rest();
        result.fraction = rest.substr(0, cursor.take_all(decimal));
    }
    const size_t blanks = cursor.take_all(" \t");
    if (cursor.at_end()) return blanks == 0 ? std::optional(result) : std::nullopt;
    result.has_zone = true;
    if (cursor.take('Z')) return cursor.at_end() ? std::optional(result) : std::nullopt;
    const bool behind = cursor.next() == '-';
    int hours = 0;
    int minutes = 0;
    if (!cursor.take_any("+-") || !take_number(cursor, 1, 2, hours)) return std::nullopt;
    if (cursor.take(':') && !take_number(cursor, 2, 2, minutes)) return std::nullopt;
    result.zone_minutes = (hours * 60 + minutes) * (behind ? -1 : 1);
    return cursor.at_end() ? std::optional(result) : std::nullopt;
}

PythonDate date_of(const Timestamp& stamp) {
    const auto& [year, month, day, hour, minute, second] = stamp.numbers;
    const auto check = [](bool valid, std::string_view problem) {
        if (!valid) throw PythonError("ValueError", problem);
    };
    check(year >= 1, fmt::format("year {} is out of range", year));
    check(month >= 1 && month <= 12, "month must be in 1..12");
    using namespace std::chrono;
    check(year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                         std::chrono::day(static_cast<unsigned>(day)))
              .ok(),
          "day is out of range for month");
    PythonDate date;
    date.has_time = stamp.has_time;
    date.text = fmt::format("{:04}-{:02}-{:02}", year, month, day);
    date.code = fmt::format("datetime.date({}, {}, {})", year, month, day);
    if (!stamp.has_time) return date;
    check(hour <= 23, "hour must be in 0..23");
    check(minute <= 59, "minute must be in 0..59");
    check(second <= 59, "second must be in 0..59");
    std::string micro = stamp.fraction.substr(0, 6);
    micro.resize(6, '0');
    const bool has_fraction = micro != "000000";
    date.text += fmt::format(" {:02}:{:02}:{:02}", hour, minute, second);
    date.code = fmt::format("datetime.datetime({}, {}, {}, {}, {}", year, month, day, hour, minute);
    if (second != 0 || has_fraction) date.code += fmt::format(", {}", second);
    if (has_fraction) {
        date.text += "." + micro;
        date.code += fmt::format(", {}", std::strtol(micro.c_str(), nullptr, 10));
    }
    if (stamp.has_zone) {
        const int zone = stamp.zone_minutes;
        check(std::abs(zone) < 24 * 60,
              "offset must be a timedelta strictly between -timedelta(hours=24) and "
              "timedelta(hours=24).");
        date.text +=
            fmt::format("{}{:02}:{:02}", zone < 0 ? '-' : '+', std::abs(zone) / 60, std::abs(zone) % 60);
        if (zone == 0)
            date.code += ", tzinfo=datetime.timezone.utc";
        else if (zone < 0)
            date.code += fmt::format(", tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds={}))",
                                     24 * 3600 + zone * 60);
        else
            date.code += fmt::format(", tzinfo=datetime.timezone(datetime.timedelta(seconds={}))", zone * 60);
    }
    date.code += ")";
    return date;
}

double base_sixty(std::string_view text) {
    double sum = 0;
    while (true) {
        const size_t colon = text.find(':');
        sum = sum * 60 + std::strtod(std::string(text.substr(0, colon)).c_str(), nullptr);
        if (colon == std::string_view::npos) return sum;
        text.remove_prefix(colon + 1);
    }
}

PythonValue::Content integer_of(std::string_view written) {
    std::string text(written);
    std::erase(text, '_');
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.erase(0, 1);
    if (text.find(':') != std::string::npos) {
        const double sum = base_sixty(text);
        if (sum < 9e15) return static_cast<int64_t>(negative ? -sum : sum);
        return PythonBigInteger{fmt::format("{}{:.0f}", negative ? "-" : "", sum)};
    }
    int base = 10;
    std::string_view digits = text;
    if (text.starts_with("0b"))
        base = 2, digits.remove_prefix(2);
    else if (text.starts_with("0x"))
        base = 16, digits.remove_prefix(2);
    else if (text.starts_with('0') && text.size() > 1)
        base = 8;
    if (digits.empty())
        throw PythonError("ValueError", fmt::format("invalid literal for int() with base {}: ''", base));
    uint64_t number = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (failed == std::errc() && number <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
    return PythonBigInteger{(negative ? "-" : "") + std::string(digits)};
}

double real_of(std::string_view written) {
    std::string text = ascii_lower(written);
    std::erase(text, '_');
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.erase(0, 1);
    const double size = text == ".inf"                        ? std::numeric_limits<double>::infinity()
                        : text == ".nan"                      ? std::numeric_limits<double>::quiet_NaN()
                        : text.find(':') != std::string::npos ? base_sixty(text)
                                                              : std::strtod(text.c_str(), nullptr);
    return negative ? -size : size;
}

} // namespace

ScalarKind python_scalar_kind(std::string_view text) {
    if (text.empty() || is_one_of(text, {"~", "null", "Null", "NULL"})) return ScalarKind::none;
    if (is_boolean(text)) return ScalarKind::boolean;
    if (is_float(text)) return ScalarKind::real;
    if (is_integer(text)) return ScalarKind::integer;
    if (text == "<<") return ScalarKind::merge;
    if (timestamp_of(text)) return ScalarKind::timestamp;
    if (text == "=") return ScalarKind::value;
    return ScalarKind::text;
}

PythonValue construct_python_scalar(ScalarKind kind, std::string_view text, uint32_t offset) {
    switch (kind) {
    case ScalarKind::none:
        return PythonValue({}, offset);
    case ScalarKind::boolean: {
        const std::string word = ascii_lower(text);
        return PythonValue(is_one_of(word, {"yes", "true", "on"}), offset);
    }
    case ScalarKind::integer:
        return PythonValue(integer_of(text), offset);
    case ScalarKind::real:
        return PythonValue(real_of(text), offset);
    case ScalarKind::timestamp:
        if (const auto stamp = timestamp_of(text)) return PythonValue(date_of(*stamp), offset);
        break;
    case ScalarKind::value:
        throw PythonError("yaml.constructor.ConstructorError",
                          "could not determine a constructor for the tag 'tag:yaml.org,2002:value'");
    case ScalarKind::merge:
    case ScalarKind::text:
        break;
    }
    return PythonValue(std::string(text), offset);
}

} // namespace opcat::policy
