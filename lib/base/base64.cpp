#include "opcat/base/base64.hpp"

#include "opcat/base/text.hpp"

#include <array>
#include <cstdint>

namespace opcat {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> values = [] {
    std::array<int8_t, 256> table{};
    table.fill(-1);
    for (size_t i = 0; i < alphabet.size(); ++i)
        table[static_cast<unsigned char>(alphabet[i])] = static_cast<int8_t>(i);
    return table;
}();

constexpr auto is_base64_digit = [](uint8_t c) {
    const bool letter = static_cast<uint8_t>((c | 0x20) - 'a') < 26;
    const bool number_or_slash = static_cast<uint8_t>(c - '/') < 11;
    return letter | number_or_slash | (c == '+');
};

// The rest after the complete groups of four digits.
struct Tail {
    uint32_t bits = 0;
    unsigned digits = 0;
    unsigned padding = 0;

    bool is_valid() const { return digits == 0 ? padding == 0 : digits > 1 && digits + padding == 4; }
};

// Passes every group of four digits to `take`, as 24 bits. Nothing if there is an invalid character.
template <typename Take>
std::optional<Tail> read_groups(std::string_view text, Take take) {
    Tail tail;
    for (const char c : text) {
        if (c == '\n' || c == '\r') continue;
        if (c == '=') {
            ++tail.padding;
            continue;
        }
        const int8_t value = values[static_cast<unsigned char>(c)];
        if (value < 0 || tail.padding > 0) return std::nullopt;
        tail.bits = tail.bits << 6 | static_cast<uint32_t>(value);
        if (++tail.digits == 4) {
            take(tail.bits);
            tail = {};
        }
    }
    return tail.is_valid() ? std::optional(tail) : std::nullopt;
}

} // namespace

std::optional<std::string> decode_base64(std::string_view text) {
    std::string bytes(text.size() / 4 * 3 + 2, '\0');
    char* to = bytes.data();
    const auto put_group = [&to](uint32_t bits) {
        *to++ = static_cast<char>(bits >> 16);
        *to++ = static_cast<char>(bits >> 8);
        *to++ = static_cast<char>(bits);
    };
    const size_t digits = skip_blocks(text, is_base64_digit); // a multiple of four
    for (size_t at = 0; at < digits; at += 4) {
        const auto value = [&](size_t i) {
            return static_cast<uint32_t>(values[static_cast<unsigned char>(text[at + i])]);
        };
        put_group(value(0) << 18 | value(1) << 12 | value(2) << 6 | value(3));
    }
    const auto tail = read_groups(text.substr(digits), put_group);
    if (!tail) return std::nullopt;
    if (tail->digits == 2) *to++ = static_cast<char>(tail->bits >> 4);
    if (tail->digits == 3) {
        *to++ = static_cast<char>(tail->bits >> 10);
        *to++ = static_cast<char>(tail->bits >> 2);
    }
    bytes.resize(static_cast<size_t>(to - bytes.data()));
    return bytes;
}

size_t base64_corrupt_at(std::string_view text) {
    unsigned digits = 0; // of the group
    bool padded = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\n' || c == '\r') continue;
        if (padded) return at; // nothing may follow
        if (c == '=') {
            if (digits < 2) return at;
            if (digits == 2) {
                const size_t second = text.find_first_not_of("\r\n", at + 1);
                if (second == text.npos) return text.size();
                if (text[second] != '=') return second - 1;
                at = second;
            }
            padded = true;
        } else if (values[static_cast<unsigned char>(c)] < 0) {
            return at;
        } else {
            digits = (digits + 1) % 4;
        }
    }
    return text.size() - digits; // in the middle of a group
}

bool is_base64(std::string_view text) {
    return read_groups(text.substr(skip_blocks(text, is_base64_digit)), [](uint32_t) {}).has_value();
}

bool is_canonical_base64(std::string_view text) {
    const std::string_view rest = text.substr(skip_blocks(text, is_base64_digit));
    const auto tail = read_groups(rest, [](uint32_t) {});
    if (!tail || rest.find_first_of("\r\n") != rest.npos) return false;
    const uint32_t unused_bits = tail->digits == 2 ? 0xf : tail->digits == 3 ? 0x3 : 0;
    return (tail->bits & unused_bits) == 0;
}

std::string encode_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t at = 0; at < bytes.size(); at += 3) {
        const size_t left = bytes.size() - at;
        const auto byte = [&](size_t i) { return i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U; };
        const uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        text += alphabet[bits >> 18];
        text += alphabet[bits >> 12 & 63];
        text += left > 1 ? alphabet[bits >> 6 & 63] : '=';
        text += left > 2 ? alphabet[bits & 63] : '=';
    }
    return text;
}

} // namespace opcat
