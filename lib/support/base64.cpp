#include "support/base64.hpp"

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

} // namespace

std::optional<std::string> decode_base64(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    uint32_t bits = 0;
    unsigned digits = 0; // of the current group of four
    unsigned padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r') continue;
        if (c == '=') {
            ++padding;
            continue;
        }
        const int8_t value = values[static_cast<unsigned char>(c)];
        if (value < 0 || padding > 0) return std::nullopt;
        bits = bits << 6 | static_cast<uint32_t>(value);
        if (++digits == 4) {
            bytes += static_cast<char>(bits >> 16);
            bytes += static_cast<char>(bits >> 8);
            bytes += static_cast<char>(bits);
            digits = 0;
        }
    }
    if (digits == 1 || (digits == 0 ? padding != 0 : digits + padding != 4)) return std::nullopt;
    if (digits == 2) bytes += static_cast<char>(bits >> 4);
    if (digits == 3) {
        bytes += static_cast<char>(bits >> 10);
        bytes += static_cast<char>(bits >> 2);
    }
    return bytes;
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
