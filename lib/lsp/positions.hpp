// Positions of the Language Server Protocol (LSP 3.17, "Position"), and offsets in text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// The units of positions within a line, as negotiated with the client.
enum class Encoding : uint8_t { utf8, utf16 };

struct Place {
    uint32_t line = 0;      // from 0
    uint32_t character = 0; // from 0, in units of the encoding

    friend auto operator<=>(const Place&, const Place&) = default;
};

struct Range {
    Place begin;
    Place end; // exclusive

    friend bool operator==(const Range&, const Range&) = default;
};

// The offset of a position in a line; positions beyond the end are the end, before the line break. A position
// within a character counts as the character's beginning.
size_t byte_in_line(std::string_view line, uint32_t character, Encoding encoding);

// The reverse: the number of units before an offset.
uint32_t character_in_line(std::string_view line, size_t byte, Encoding encoding);

// The offsets of the lines of a text. Lines end in LF, or in CR LF.
class LineIndex {
public:
    explicit LineIndex(std::string_view text);

    uint32_t line_breaks() const { return static_cast<uint32_t>(starts_.size() - 1); }
    // Without the line break. Lines beyond the last are empty, at the end.
    std::string_view line(std::string_view text, uint32_t number) const;
    Place place(std::string_view text, size_t byte, Encoding encoding) const;
    size_t byte(std::string_view text, Place place, Encoding encoding) const;

private:
    std::vector<uint32_t> starts_;
};

} // namespace opcat::lsp
