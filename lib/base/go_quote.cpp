#include "opcat/base/go_quote.hpp"

#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <fmt/format.h>

#include <iterator>

namespace opcat {
namespace {

// The letter of a control character that has one of its own; 0 for others.
char escape_letter(char32_t c) {
    constexpr std::string_view letters = "abtnvfr"; // from BEL, 7, to CR, 13
    if (c >= 7 && c <= 13) return letters[c - 7];
    return c == '"' || c == '\\' ? static_cast<char>(c) : '\0';
}

void append_quoted(std::string& out, std::string_view character) {
    const char32_t c = decode_utf8(character);
    const auto number = static_cast<uint32_t>(c);
    if (const char letter = escape_letter(c))
        (out += '\\') += letter;
    else if (is_printable(c))
        out += character;
    else if (c < 0x80)
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", number);
    else if (c < 0x10000)
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", number);
    else
        fmt::format_to(std::back_inserter(out), "\\U{:08x}", number);
}

} // namespace

std::string go_quote(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    out += '"';
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        if (length == 0)
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[0]));
        else
            append_quoted(out, text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
    return out;
}

} // namespace opcat
