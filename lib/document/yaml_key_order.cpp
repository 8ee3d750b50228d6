#include "document/yaml_key_order.hpp"

#include "document/yaml_text.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cstdint>

namespace opcat {
namespace {

bool is_digit(char32_t c) {
    return c >= '0' && c <= '9';
}
// Beyond ASCII everything counts as a letter; keys with other digits or signs are not worth a table.
bool is_letter(char32_t c) {
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c >= 0x80;
}
char32_t code_at(std::string_view text, size_t at) {
    return decode_utf8(text.substr(at, yaml_character_at(text, at).length));
}

} // namespace

bool yaml_key_less(std::string_view a, std::string_view b) {
    size_t at = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    if (at == a.size() || at == b.size()) return a.size() < b.size();
    while (at > 0 && (static_cast<unsigned char>(a[at]) & 0xc0) == 0x80) --at;
    const char32_t x = code_at(a, at);
    const char32_t y = code_at(b, at);
    if (is_letter(x) && is_letter(y)) return x < y;
    if (is_letter(x) || is_letter(y)) return is_letter(y);
    uint64_t x_number = 0;
    uint64_t y_number = 0;
    if (x == '0' || y == '0') {
        // Zeros inside of a number are digits of it, zeros in front of it are not.
        for (size_t i = at; i > 0 && is_digit(static_cast<unsigned char>(a[i - 1])); --i)
            if (a[i - 1] != '0') x_number = y_number = 1;
    }
    const auto read_number = [at](std::string_view text, uint64_t& number) {
        size_t end = at;
        for (; end < text.size() && text[end] >= '0' && text[end] <= '9'; ++end)
            number = number * 10 + static_cast<uint64_t>(text[end] - '0');
        return end;
    };
    const size_t x_end = read_number(a, x_number);
    const size_t y_end = read_number(b, y_number);
    if (x_number != y_number) return static_cast<int64_t>(x_number) < static_cast<int64_t>(y_number);
    if (x_end != y_end) return x_end < y_end;
    return x < y;
}

} // namespace opcat
