#include "cel/literals.hpp"

#include "support/text.hpp"

#include <charconv>
#include <limits>
#include <string>

namespace opcat::cel {
namespace {

std::optional<uint64_t> parse_digits(std::string_view digits) {
    int base = 10;
    if (digits.starts_with("0x")) {
        digits.remove_prefix(2);
        base = 16;
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

char32_t number_at(std::string_view digits, int base) {
    uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return static_cast<char32_t>(value);
}

char plain_escape(char c) {
    switch (c) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    default:
        return c;
    }
}

// The escapes of `body`, which the scanner has found to be well formed.
std::optional<std::string> unescape(std::string_view body, bool bytes) {
    std::string text;
    for (size_t i = 0; i < body.size();) {
        if (body[i] != '\\') {
            text += body[i++];
            continue;
        }
        const char c = body[i + 1];
        const bool octal = c >= '0' && c <= '3';
        const size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : (c == 'x' || c == 'X' || octal) ? 2 : 0;
        if (digits == 0) {
            text += plain_escape(c);
            i += 2;
            continue;
        }
        const char32_t code =
            octal ? number_at(body.substr(i + 1, 3), 8) : number_at(body.substr(i + 2, digits), 16);
        i += 2 + digits;
        if (bytes) {
            if (digits != 2) return std::nullopt;
            text += static_cast<char>(static_cast<unsigned char>(code));
        } else {
            if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return std::nullopt;
            append_utf8(text, code);
        }
    }
    return text;
}

} // namespace

std::optional<int64_t> parse_integer(std::string_view text) {
    const bool negative = text.starts_with('-');
    const auto digits = parse_digits(text.substr(negative ? 1 : 0));
    constexpr auto limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (!digits || *digits > limit + (negative ? 1 : 0)) return std::nullopt;
    return static_cast<int64_t>(negative ? 0 - *digits : *digits);
}

std::optional<uint64_t> parse_unsigned(std::string_view text) {
    return parse_digits(text.substr(0, text.size() - 1));
}

std::optional<Value> parse_string(std::string_view text, bool bytes) {
    if (bytes) text.remove_prefix(1);
    const bool raw = text[0] == 'r' || text[0] == 'R';
    if (raw) text.remove_prefix(1);
    const size_t quotes = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
    const std::string_view body = text.substr(quotes, text.size() - 2 * quotes);
    auto content = raw ? std::optional<std::string>(body) : unescape(body, bytes);
    if (!content) return std::nullopt;
    return bytes ? Value::of_bytes(std::move(*content)) : Value::of_string(std::move(*content));
}

} // namespace opcat::cel
