#include "document/json_passage.hpp"

#include "base/byte_blocks.hpp"
#include "document/json_writer.hpp"
#include "document/yaml_text.hpp"

namespace opcat {
namespace {

constexpr std::string_view next_line = "\xc2\x85"; // U+0085, a line break in YAML 1.1

// In YAML, at the front of a line and with a blank behind it, the end of a document, even between quotes.
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
