#include "opcat/base/unicode.hpp"

#include "opcat/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace opcat {
namespace {

struct CodePoints {
    char32_t first, last;
};

// Every `step`th code point becomes the one at this distance.
struct Fold {
    char32_t first, last, step;
    int32_t distance;
};
struct FullFold {
    char32_t code_point;
    std::string_view folded;
};

#include "opcat/base/unicode_tables.inc"

bool contains(std::span<const CodePoints> table, char32_t c) {
    const auto after = std::upper_bound(table.begin(), table.end(), c,
                                        [](char32_t value, const CodePoints& r) { return value < r.first; });
    return after != table.begin() && c <= (after - 1)->last;
}

// The valid UTF-8 sequence at the end of `text`; empty if there is none.
std::string_view last_character(std::string_view text) {
    for (size_t length = 1; length <= std::min<size_t>(4, text.size()); ++length) {
        const std::string_view end = text.substr(text.size() - length);
        if (utf8_sequence_length(end) == length) return end;
    }
    return {};
}

} // namespace

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

bool is_printable(char32_t c) {
    if (c < 0x7f) return c >= 0x20;
    return contains(printables, c);
}

bool is_letter(char32_t c) {
    if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    return contains(letters, c);
}

bool is_decimal_digit(char32_t c) {
    if (c < 0x80) return c >= '0' && c <= '9';
    return contains(decimal_digits, c);
}

bool is_white_space(char32_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
           c == 0x3000;
}

std::string case_folded(std::string_view text) {
    if (is_ascii(text)) return ascii_lower(text);
    std::string out;
    for (const std::string_view character : utf8_characters(text)) {
        if (character.size() == 1) { // or a byte that is not UTF-8
            out += ascii_lower(character[0]);
            continue;
        }
        const char32_t c = decode_utf8(character);
        const auto* const full = std::ranges::lower_bound(full_folds, c, {}, &FullFold::code_point);
        const auto* const run = std::ranges::lower_bound(folds, c, {}, &Fold::last);
        if (full != std::end(full_folds) && full->code_point == c)
            out += full->folded;
        else if (run != std::end(folds) && c >= run->first && (c - run->first) % run->step == 0)
            append_utf8(out, c + static_cast<char32_t>(run->distance));
        else
            out += character;
    }
    return out;
}

std::string_view trim_white_space(std::string_view text) {
    while (const size_t length = utf8_sequence_length(text)) {
        if (!is_white_space(decode_utf8(text.substr(0, length)))) break;
        text.remove_prefix(length);
    }
    for (auto last = last_character(text); !last.empty() && is_white_space(decode_utf8(last));
         last = last_character(text))
        text.remove_suffix(last.size());
    return text;
}

namespace {

struct Drawn {
    std::string_view character, in_ascii;
};
constexpr Drawn drawn[] = {{"●", "*"}, {"○", "o"}, {"◌", "."}, {"│", "|"},  {"├", "|"}, {"╰", "`"},
                           {"─", "-"}, {"━", "="}, {"—", "-"}, {"→", "->"}, {"×", "x"}};

} // namespace

std::string draw_in_ascii(std::string_view text, std::string_view ellipsis) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto plain = std::find_if_not(text.begin(), text.end(), is_ascii) - text.begin();
        out += text.substr(0, static_cast<size_t>(plain));
        text.remove_prefix(static_cast<size_t>(plain));
        if (text.empty()) break;
        const std::string_view character = text.substr(0, std::max<size_t>(1, utf8_sequence_length(text)));
        const auto* const known = std::find_if(std::begin(drawn), std::end(drawn),
                                               [&](const Drawn& one) { return one.character == character; });
        out += character == "…" ? ellipsis : known == std::end(drawn) ? character : known->in_ascii;
        text.remove_prefix(character.size());
    }
    return out;
}

} // namespace opcat
