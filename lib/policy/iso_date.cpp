#include "opcat/policy/iso_date.hpp"

#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace opcat::policy {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::year;
using std::chrono::year_month_day;

// int(bytes): white space around it, a sign, and single underscores between digits are accepted.
std::optional<int> python_int(std::string_view text) {
    constexpr std::string_view blank = " \t\n\r\v\f";
    const size_t begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return std::nullopt;
    text = text.substr(begin, text.find_last_not_of(blank) - begin + 1);
    const bool negative = text[0] == '-';
    if (negative || text[0] == '+') text.remove_prefix(1);
    int number = 0;
    bool after_digit = false;
    for (const char c : text) {
        if (c == '_' && after_digit) {
            after_digit = false;
            continue;
        }
        if (!is_digit(c)) return std::nullopt;
        number = std::min(number * 10 + (c - '0'), 100'000'000);
        after_digit = true;
    }
    if (!after_digit) return std::nullopt;
    return negative ? -number : number;
}

// bytes[begin:begin + count]
std::string_view slice(std::string_view text, size_t begin, size_t count) {
    return begin >= text.size() ? std::string_view() : text.substr(begin, count);
}

bool is_date(int y, int m, int d) {
    return y >= 1 && y <= 9999 && m >= 1 && d >= 1 &&
           year_month_day(year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))).ok();
}

struct DatePart {
    size_t length = 0;
    bool is_valid = false; // such a day exists
};

// YYYY, YYYY-MM, YYYYMMDD and YYYY-MM-DD; nothing for another form.
std::optional<DatePart> common_date(std::string_view text) {
    if (text.size() < 4) return std::nullopt;
    const auto y = python_int(text.substr(0, 4));
    if (!y) return std::nullopt;
    size_t at = 4;
    if (at == text.size()) return DatePart{at, is_date(*y, 1, 1)};
    const bool dashes = text[at] == '-';
    if (dashes) ++at;
    if (text.size() < at + 2) return std::nullopt;
    const auto m = python_int(text.substr(at, 2));
    if (!m) return std::nullopt;
    at += 2;
    if (at == text.size()) return dashes ? std::optional(DatePart{at, is_date(*y, *m, 1)}) : std::nullopt;
    if (dashes && text[at++] != '-') return std::nullopt;
    if (text.size() < at + 2) return std::nullopt;
    const auto d = python_int(text.substr(at, 2));
    if (!d) return std::nullopt;
    return DatePart{at + 2, is_date(*y, *m, *d)};
}

// YYYY-Www-D and YYYY-DDD, with and without dashes.
std::optional<DatePart> uncommon_date(std::string_view text) {
    if (text.size() < 4) return std::nullopt;
    const auto y = python_int(text.substr(0, 4));
    if (!y) return std::nullopt;
    const bool dashes = slice(text, 4, 1) == "-";
    size_t at = dashes ? 5 : 4;
    if (slice(text, at, 1) != "W") {
        if (text.size() < at + 3) return std::nullopt;
        const auto ordinal = python_int(text.substr(at, 3));
        const bool leap = (*y % 4 == 0 && *y % 100 != 0) || *y % 400 == 0;
        if (!ordinal || *ordinal < 1 || *ordinal > (leap ? 366 : 365)) return std::nullopt;
        return DatePart{at + 3, is_date(*y, 1, 1)};
    }
    ++at;
    const auto week = python_int(slice(text, at, 2));
    if (!week) return std::nullopt;
    at += 2;
    int weekday = 1;
    if (text.size() > at) {
        if ((text[at] == '-') != dashes) return std::nullopt;
        if (dashes) ++at;
        const auto named = python_int(slice(text, at, 1));
        if (!named) return std::nullopt;
        weekday = *named;
        ++at;
    }
    if (*week < 1 || *week > 53 || weekday < 1 || weekday > 7) return std::nullopt;
    return DatePart{at, is_date(*y, 1, 1)};
}

bool is_zone(std::string_view text) {
    if (text == "Z" || text == "z") return true;
    if ((text.size() != 3 && text.size() != 5 && text.size() != 6) || (text[0] != '-' && text[0] != '+'))
        return false;
    const auto hours = python_int(text.substr(1, 2));
    const auto minutes =
        text.size() == 3 ? std::optional(0) : python_int(text.substr(text[3] == ':' ? 4 : 3));
    return hours && minutes && *hours <= 23 && *minutes <= 59;
}

bool is_time(std::string_view text) {
    if (text.size() < 2) return false;
    std::array<int, 3> parts{};
    bool has_fraction = false;
    bool colons = false;
    size_t at = 0;
    for (size_t part = 0; at < text.size() && part < 6; ++part) {
        if (std::string_view("-+Zz").find(text[at]) != std::string_view::npos) {
            if (!is_zone(text.substr(at))) return false;
            at = text.size();
            break;
        }
        if (part == 1 && text[at] == ':') {
            colons = true;
            ++at;
        } else if (part == 2 && colons) {
            if (text[at] != ':') return false;
            ++at;
        }
        if (part < 3) {
            const auto number = python_int(slice(text, at, 2));
            if (!number) return false;
            parts[part] = *number;
            at += 2;
        } else if (part == 3 && (text[at] == '.' || text[at] == ',')) {
            size_t end = at + 1;
            while (end < text.size() && is_digit(text[end])) ++end;
            if (end == at + 1) continue;
            has_fraction = text.substr(at + 1, std::min<size_t>(end - at - 1, 6)).find_first_not_of('0') !=
                           std::string_view::npos;
            at = end;
        }
    }
    if (at < text.size()) return false;
    const auto& [hour, minute, second] = parts;
    if (hour == 24) return minute == 0 && second == 0 && !has_fraction;
    return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
}

} // namespace

bool is_iso_date(std::string_view text) {
    if (!is_ascii(text)) return false;
    auto date = common_date(text);
    if (!date) date = uncommon_date(text);
    if (!date || !date->is_valid) return false;
    return date->length >= text.size() || is_time(text.substr(date->length + 1));
}

} // namespace opcat::policy
