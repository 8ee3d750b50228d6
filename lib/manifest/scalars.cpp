#include "manifest/scalars.hpp"

#include "semver/release.hpp"
#include "semver/version.hpp"

#include <algorithm>
#include <array>

namespace opcat::manifest {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Takes the digits at the start of `text` off it.
std::string_view take_digits(std::string_view& text) {
    const std::string_view digits(text.begin(), std::find_if_not(text.begin(), text.end(), is_digit));
    text.remove_prefix(digits.size());
    return digits;
}

bool skip(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

// A number of `width` digits between `low` and `high`; -1 if there is none.
int take_number(std::string_view& text, size_t width, int low, int high) {
    if (text.size() < width || !std::all_of(text.begin(), text.begin() + static_cast<long>(width), is_digit))
        return -1;
    int number = 0;
    for (const char c : text.substr(0, width)) number = number * 10 + (c - '0');
    text.remove_prefix(width);
    return number >= low && number <= high ? number : -1;
}

int days_in(int year, int month) {
    constexpr std::array days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[static_cast<size_t>(month - 1)];
}

} // namespace

bool is_time(std::string_view text) {
    const int year = take_number(text, 4, 0, 9999);
    if (year < 0 || !skip(text, '-')) return false;
    const int month = take_number(text, 2, 1, 12);
    if (month < 0 || !skip(text, '-')) return false;
    if (take_number(text, 2, 1, days_in(year, month)) < 0 || !skip(text, 'T')) return false;
    // Go is lenient about hours, and about nothing else.
    const size_t hour_digits = text.size() > 1 && text[1] == ':' ? 1 : 2;
    if (take_number(text, hour_digits, 0, 23) < 0 || !skip(text, ':')) return false;
    if (take_number(text, 2, 0, 59) < 0 || !skip(text, ':')) return false;
    if (take_number(text, 2, 0, 59) < 0) return false;
    if ((text.starts_with('.') || text.starts_with(',')) && text.size() > 1 && is_digit(text[1])) {
        text.remove_prefix(1);
        take_digits(text);
    }
    if (text == "Z") return true;
    if (!skip(text, '+') && !skip(text, '-')) return false;
    return take_number(text, 2, 0, 24) >= 0 && skip(text, ':') && take_number(text, 2, 0, 60) >= 0 &&
           text.empty();
}

bool is_quantity(std::string_view text) {
    constexpr std::array<std::string_view, 16> suffixes = {"",  "n", "u",  "m",  "k",  "M",  "G",  "T",
                                                           "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return false;
    text = text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
    if (!skip(text, '+')) skip(text, '-');
    const bool whole = !take_digits(text).empty();
    const bool fraction = skip(text, '.') && !take_digits(text).empty();
    if (!whole && !fraction) return false;
    if (std::find(suffixes.begin(), suffixes.end(), text) != suffixes.end()) return true;
    if (!skip(text, 'e') && !skip(text, 'E')) return false;
    if (!skip(text, '+')) skip(text, '-');
    return !take_digits(text).empty() && text.empty();
}

bool is_lenient_version(std::string_view text) {
    return static_cast<bool>(semver::Version::parse_tolerant(text));
}

bool is_release(std::string_view text) {
    return static_cast<bool>(semver::Release::parse(text));
}

} // namespace opcat::manifest
