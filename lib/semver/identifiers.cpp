#include "semver/identifiers.hpp"

#include "base/go_quote.hpp"

#include <algorithm>
#include <charconv>

namespace opcat::semver {
namespace {

constexpr std::string_view largest_number = "18446744073709551615";

bool is_number(std::string_view identifier) {
    if (identifier.size() > largest_number.size() || !is_all_digits(identifier)) return false;
    return identifier.size() < largest_number.size() || identifier <= largest_number;
}

std::strong_ordering compare_identifier(std::string_view a, std::string_view b) {
    const bool a_is_number = is_number(a);
    const bool b_is_number = is_number(b);
    if (a_is_number != b_is_number)
        return a_is_number ? std::strong_ordering::less : std::strong_ordering::greater;
    // Without leading zeros the longer number is the larger one.
    if (a_is_number && a.size() != b.size()) return a.size() <=> b.size();
    return a.compare(b) <=> 0;
}

} // namespace

bool is_all_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_digit);
}

bool is_identifier(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_identifier_character);
}

std::optional<uint64_t> parse_number(std::string_view digits) {
    uint64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

std::string number_error(std::string_view digits) {
    return "strconv.ParseUint: parsing " + go_quote(digits) +
           (digits.empty() ? ": invalid syntax" : ": value out of range");
}

std::string_view next_identifier(std::string_view& rest) {
    const std::string_view identifier = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), identifier.size() + 1));
    return identifier;
}

size_t end_of_identifiers(std::string_view text, size_t at) {
    size_t end = at;
    for (size_t begin = at; begin < text.size(); begin = end + 1) {
        size_t i = begin;
        while (i < text.size() && is_identifier_character(text[i])) ++i;
        if (i == begin) break;
        end = i;
        if (end == text.size() || text[end] != '.') break;
    }
    return end;
}

std::string prerelease_identifier_error(std::string_view identifier) {
    if (identifier.empty()) return "Prerelease is empty";
    if (is_all_digits(identifier)) {
        if (has_leading_zero(identifier))
            return "Numeric PreRelease version must not contain leading zeroes " + go_quote(identifier);
        return is_number(identifier) ? std::string() : number_error(identifier);
    }
    if (!is_identifier(identifier)) return "Invalid character(s) found in prerelease " + go_quote(identifier);
    return {};
}

std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        const auto order = compare_identifier(next_identifier(a), next_identifier(b));
        if (std::is_neq(order)) return order;
    }
    return !a.empty() <=> !b.empty();
}

} // namespace opcat::semver
