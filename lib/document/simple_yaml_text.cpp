#include "document/simple_yaml_text.hpp"

#include "base/text.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>

namespace opcat {
namespace {

const char* append_code_point(std::string& text, const char* at, const char* end, ptrdiff_t digits) {
    const char* const begin = at + 2;
    uint32_t code = 0;
    if (end - begin < digits) return nullptr;
    const auto result = std::from_chars(begin, begin + digits, code, 16);
    if (result.ptr != begin + digits || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return nullptr;
    append_utf8(text, code);
    return begin + digits;
}

} // namespace

bool has_simple_characters(std::string_view text) {
    constexpr uint64_t ones = 0x0101010101010101;
    constexpr uint64_t highs = 0x8080808080808080;
    size_t at = 0;
    while (at < text.size()) {
        while (at + 8 <= text.size()) {
            uint64_t word;
            std::memcpy(&word, text.data() + at, 8);
            const uint64_t del = word ^ (ones * 0x7f);
            const uint64_t special = ((word - ones * 0x20) & ~word) | word | ((del - ones) & ~del);
            if ((special & highs) != 0) break;
            at += 8;
        }
        if (at >= text.size()) break;
        // One by one up to the end of what stopped us.
        const auto c = static_cast<unsigned char>(text[at]);
        if (c < 0x80) {
            if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
            ++at;
            continue;
        }
        const size_t length = utf8_sequence_length(text.substr(at));
        if (length == 0) return false;
        const std::string_view character = text.substr(at, length);
        if (c == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0) return false; // controls and U+0085
        if (character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9") return false;   // line breaks
        if (character == "\xef\xbb\xbf" || character.substr(0, 2) == "\xef\xbf")
            return false; // byte order mark, U+FFFx
        at += length;
    }
    return true;
}

const char* append_escaped(std::string& text, const char* at, const char* end) {
    if (at + 1 >= end) return nullptr;
    switch (at[1]) {
    case '0':
        text += '\0';
        return at + 2;
    case 'a':
        text += '\a';
        return at + 2;
    case 'b':
        text += '\b';
        return at + 2;
    case 't':
        text += '\t';
        return at + 2;
    case 'n':
        text += '\n';
        return at + 2;
    case 'v':
        text += '\v';
        return at + 2;
    case 'f':
        text += '\f';
        return at + 2;
    case 'r':
        text += '\r';
        return at + 2;
    case 'e':
        text += '\x1b';
        return at + 2;
    case ' ':
    case '"':
    case '\'': // to yaml.v2, not to libyaml
    case '\\':
        text += at[1];
        return at + 2;
    case 'x':
        return append_code_point(text, at, end, 2);
    case 'u':
        return append_code_point(text, at, end, 4);
    case 'U':
        return append_code_point(text, at, end, 8);
    default:
        return nullptr;
    }
}

} // namespace opcat
