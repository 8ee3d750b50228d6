#include "opcat/document/yaml_text.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/json_writer.hpp"

#include <algorithm>

namespace opcat {
namespace {

bool is_blank_or_end(std::string_view text, size_t at) {
    return at >= text.size() || text[at] == ' ' || text[at] == '\t' || yaml_character_at(text, at).is_break;
}

// Characters that have no influence on the style, unless a text begins with one: the most frequent ones.
constexpr bool is_dull(uint8_t c) {
    return (c > 0x20) & (c < 0x7f) & (c != ':') & (c != '#');
}

size_t skip_dull(std::string_view text, size_t at) {
    at += skip_blocks(text.substr(at), is_dull);
    while (at < text.size() && is_dull(static_cast<uint8_t>(text[at]))) ++at;
    return at;
}

} // namespace

YamlCharacter yaml_character_at(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x80)
        return {1, first == '\n' || (first >= 0x20 && first <= 0x7e), first == '\n' || first == '\r'};
    if (first < 0xe0) return {2, first > 0xc2 || byte(1) >= 0xa0, first == 0xc2 && byte(1) == 0x85};
    if (first < 0xf0) {
        const bool surrogate = first == 0xed && byte(1) >= 0xa0;
        const bool special =
            first == 0xef && ((byte(1) == 0xbb && byte(2) == 0xbf) || (byte(1) == 0xbf && byte(2) >= 0xbe));
        const bool separator = first == 0xe2 && byte(1) == 0x80 && (byte(2) == 0xa8 || byte(2) == 0xa9);
        return {3, !surrogate && !special, separator};
    }
    return {4, false, false};
}

std::string_view first_yaml_line(std::string_view text) {
    text = text.substr(0, text.find_first_of("\r\n"));
    for (const std::string_view line_break : yaml_line_breaks) text = text.substr(0, text.find(line_break));
    return text;
}

int count_characters(std::string_view text) {
    const auto is_ascii = [](uint8_t c) { return c < 0x80; };
    const size_t ascii = skip_blocks(text, is_ascii);
    return static_cast<int>(ascii) +
           static_cast<int>(
               std::count_if(text.begin() + static_cast<std::ptrdiff_t>(ascii), text.end(),
                             [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

ScalarAnalysis analyse_scalar(std::string_view text) {
    if (text.empty()) return {.literal_allowed = false};
    const char front = text.front();
    bool indicators = text.starts_with("---") || text.starts_with("...") ||
                      std::string_view("#,[]{}&*!|>'\"%@`").find(front) != std::string_view::npos ||
                      ((front == '?' || front == ':' || front == '-') && is_blank_or_end(text, 1));
    bool special = false;
    bool breaks = false;
    bool space_before_break = false;
    bool break_before_space = false;
    bool previous_space = false;
    bool previous_break = false;
    bool after_blank = true;
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (is_dull(static_cast<uint8_t>(c))) {
            at = skip_dull(text, at);
            previous_space = previous_break = after_blank = false;
            continue;
        }
        const YamlCharacter character = yaml_character_at(text, at);
        indicators |= at > 0 && ((c == ':' && is_blank_or_end(text, at + 1)) || (c == '#' && after_blank));
        special |= !character.printable;
        if (c == ' ') {
            break_before_space |= previous_break;
            previous_space = true;
            previous_break = false;
        } else if (character.is_break) {
            breaks = true;
            space_before_break |= previous_space;
            previous_space = false;
            previous_break = true;
        } else {
            previous_space = previous_break = false;
        }
        after_blank = c == ' ' || c == '\t' || character.is_break;
        at += character.length;
    }
    // The loop has left the last character in these variables.
    const bool blank_ends =
        front == ' ' || previous_space || yaml_character_at(text, 0).is_break || previous_break;
    return {
        .multiline = breaks,
        .plain_allowed =
            !indicators && !special && !breaks && !blank_ends && !break_before_space && !space_before_break,
        .single_quoted_allowed = !special && !break_before_space && !space_before_break,
        .literal_allowed = !special && !space_before_break && !previous_space,
    };
}

namespace {

constexpr std::string_view next_line = "\xc2\x85"; // U+0085, a line break in YAML 1.1

// In YAML, at the front of a line and with a blank after it, the end of a document, even between quotes.
bool has_document_indicator(std::string_view text) {
    for (size_t at = text.find(next_line); at != text.npos; at = text.find(next_line, at + 1)) {
        std::string_view line = text.substr(at + next_line.size());
        if (!line.starts_with("---") && !line.starts_with("...")) continue;
        line.remove_prefix(3);
        if (line.starts_with(' ') || line.starts_with(next_line)) return true;
    }
    return false;
}

} // namespace

bool survives_json_text(std::string_view text) {
    const auto is_harmless = [](uint8_t c) { return c < 0x7f; };
    for (size_t at = skip_blocks(text, is_harmless); at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at]);
        const auto second = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
        if (first == 0x7f) return false;
        if (first == 0xc2 && second >= 0x80 && second < 0xa0 && second != 0x85) return false;
        if (text.compare(at, 2, "\xef\xbf") == 0 && at + 2 < text.size() &&
            static_cast<unsigned char>(text[at + 2]) >= 0xbe)
            return false;
        at += yaml_character_at(text, at).length;
    }
    return !has_document_indicator(text);
}

bool has_next_lines(std::string_view text) {
    return text.find(next_line) != text.npos;
}

std::string with_next_lines_folded(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const size_t at = text.find(next_line);
        out += text.substr(0, at);
        if (at == text.npos) break;
        while (out.ends_with(' ')) out.pop_back();
        text.remove_prefix(at);
        size_t breaks = 0;
        while (true) {
            if (text.starts_with(next_line)) {
                ++breaks;
                text.remove_prefix(next_line.size());
            } else if (text.starts_with(' ')) {
                text.remove_prefix(1);
            } else {
                break;
            }
        }
        if (breaks == 1)
            out += ' ';
        else
            out.append(breaks - 1, '\n');
    }
    return out;
}

bool survives_json_text_as_key(std::string_view key) {
    if (has_next_lines(key)) return false;
    constexpr size_t longest = 1024;
    if (key.size() * 6 + 2 <= longest) return true;
    std::string text;
    append_json_string(text, key);
    return static_cast<size_t>(count_characters(text)) <= longest;
}

} // namespace opcat
