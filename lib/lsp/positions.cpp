#include "opcat/lsp/positions.hpp"

#include "opcat/base/text.hpp"

#include <algorithm>
#include <cstring>

namespace opcat::lsp {
namespace {

// UTF-16 has two units for characters beyond the basic plane: those of four bytes in UTF-8. Bytes that are
// not UTF-8 count one each.
uint32_t units_of(size_t bytes) {
    return bytes == 4 ? 2 : 1;
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

} // namespace

size_t byte_in_line(std::string_view line, uint32_t character, Encoding encoding) {
    if (encoding == Encoding::utf8 || is_ascii(line.substr(0, character))) {
        size_t at = std::min<size_t>(character, line.size());
        // Not into a character.
        while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0U) == 0x80U) --at;
        return at;
    }
    size_t at = 0;
    for (uint32_t units = 0; at < line.size();) {
        const size_t bytes = std::max<size_t>(1, utf8_sequence_length(line.substr(at)));
        units += units_of(bytes);
        if (units > character) break;
        at += bytes;
    }
    return at;
}

uint32_t character_in_line(std::string_view line, size_t byte, Encoding encoding) {
    byte = std::min(byte, line.size());
    if (encoding == Encoding::utf8 || is_ascii(line.substr(0, byte))) return static_cast<uint32_t>(byte);
    uint32_t units = 0;
    for (size_t at = 0; at < byte;) {
        const size_t bytes = std::max<size_t>(1, utf8_sequence_length(line.substr(at)));
        units += units_of(bytes);
        at += bytes;
    }
    return units;
}

LineIndex::LineIndex(std::string_view text) : starts_{0} {
    for (size_t at = 0; at < text.size();) {
        const void* const found = std::memchr(text.data() + at, '\n', text.size() - at);
        if (!found) break;
        at = static_cast<size_t>(static_cast<const char*>(found) - text.data()) + 1;
        starts_.push_back(static_cast<uint32_t>(at));
    }
}

std::string_view LineIndex::line(std::string_view text, uint32_t number) const {
    if (number >= starts_.size()) return text.substr(text.size());
    const size_t end = number + 1 < starts_.size() ? starts_[number + 1] - 1 : text.size();
    std::string_view line = text.substr(starts_[number], end - starts_[number]);
    if (number + 1 < starts_.size() && line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

Place LineIndex::place(std::string_view text, size_t byte, Encoding encoding) const {
    byte = std::min(byte, text.size());
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), byte);
    const auto number = static_cast<uint32_t>(after - starts_.begin()) - 1;
    return {number, character_in_line(line(text, number), byte - starts_[number], encoding)};
}

size_t LineIndex::byte(std::string_view text, Place place, Encoding encoding) const {
    if (place.line >= starts_.size()) return text.size();
    return starts_[place.line] + byte_in_line(line(text, place.line), place.character, encoding);
}

} // namespace opcat::lsp
