#include "document/yaml_key_order.hpp"

#include "support/text.hpp"
#include "support/unicode.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace opcat {
namespace {

std::u32string code_points(std::string_view text) {
    std::u32string all;
    for (const std::string_view character : utf8_characters(text)) all += decode_utf8(character);
    return all;
}

// `Text` is a view of characters each of which is a code point.
template <typename Text>
bool less(Text a, Text b) {
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    const auto at = static_cast<size_t>(differ - a.begin());
    if (at == a.size() || at == b.size()) return a.size() < b.size();
    const char32_t x = a[at];
    const char32_t y = b[at];
    if (is_letter(x) && is_letter(y)) return x < y;
    if (is_letter(x) || is_letter(y)) return is_letter(y);
    uint64_t x_number = 0;
    uint64_t y_number = 0;
    if (x == '0' || y == '0') {
        // Zeros inside of a number are digits of it, zeros in front of it are not.
        for (size_t i = at; i > 0 && is_decimal_digit(a[i - 1]); --i)
            if (a[i - 1] != '0') x_number = y_number = 1;
    }
    const auto read_number = [at](Text text, uint64_t& number) {
        size_t end = at;
        for (; end < text.size() && is_decimal_digit(text[end]); ++end)
            number = number * 10 + (static_cast<char32_t>(text[end]) - uint64_t{'0'});
        return end;
    };
    const size_t x_end = read_number(a, x_number);
    const size_t y_end = read_number(b, y_number);
    if (x_number != y_number) return static_cast<int64_t>(x_number) < static_cast<int64_t>(y_number);
    if (x_end != y_end) return x_end < y_end;
    return x < y;
}

} // namespace

bool yaml_key_less(std::string_view a, std::string_view b) {
    if (is_ascii(a) && is_ascii(b)) return less(a, b);
    return less<std::u32string_view>(code_points(a), code_points(b));
}

} // namespace opcat
