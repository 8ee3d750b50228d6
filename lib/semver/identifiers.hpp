// The dot-separated identifiers of prereleases, releases and build metadata.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::semver {

// Not <cctype>: no locale, no undefined behaviour on bytes above 0x7f.
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_identifier_character(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

bool is_all_digits(std::string_view text); // true of ""
bool is_identifier(std::string_view text); // one or more of [0-9A-Za-z-]

// A number with a zero in front that it does not need.
inline bool has_leading_zero(std::string_view digits) {
    return digits.size() > 1 && digits[0] == '0';
}

// The value of decimal digits; nothing if `digits` is empty, holds anything else, or needs more than 64 bits.
std::optional<uint64_t> parse_number(std::string_view digits);
// How Go says that `digits` (all digits) are no such number.
std::string number_error(std::string_view digits);

// Cuts the first identifier off `rest`; "a" of "a.b", and "" of ".b".
std::string_view next_identifier(std::string_view& rest);

// Where the identifiers that begin at `at` end, none of them empty; `at` itself if none begins there.
size_t end_of_identifiers(std::string_view text, size_t at);

// What is wrong with one prerelease identifier, in blang's words; empty if nothing is.
std::string prerelease_identifier_error(std::string_view identifier);

// The order of two lists of non-empty identifiers, numbers without leading zeros: one by one, numbers by
// value and before all others, others by their bytes; a list comes before those that it begins. Digits beyond
// 64 bits are no number.
std::strong_ordering compare_identifiers(std::string_view a, std::string_view b);

} // namespace opcat::semver
