// Places as the Language Server Protocol counts them (LSP 3.17, "Position"), and bytes of text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// How many units a character of a line has, as negotiated with the client.
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

// The byte of a line that a character begins at: the end of the line, before its line break, for all beyond.
// A unit within a character counts as its beginning.
size_t byte_in_line(std::string_view line, uint32_t character, Encoding encoding);

// The other way round: how many units are before a byte.
uint32_t character_in_line(std::string_view line, size_t byte, Encoding encoding);

// Where the lines of a text begin. Lines end in LF, or in CR LF.
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
