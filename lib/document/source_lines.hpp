// YAML files as lines: which of them belong to a field, to an item of a list, or to a document. For comments
// and text edits, in block style, where the indentation says it; nothing is parsed.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace opcat {

// A line without its line break (LF).
struct SourceLine {
    size_t begin; // byte offset
    std::string_view text;

    size_t next() const { return begin + text.size() + 1; } // the beginning of the next line, if there is one
    size_t indent() const;
    std::string_view content() const { return text.substr(indent()); }
    bool is_separator() const { return text.starts_with("---"); } // documents are separated there
    bool says_nothing() const;                                    // blank, or a comment
    bool is_item() const;                                         // of a list
};

// The line that contains a byte.
SourceLine line_of(std::string_view bytes, size_t at);

// The line whose first character other than blanks and list dashes is this byte; nothing for other bytes.
// Linear in the length of these blanks and the line.
std::optional<SourceLine> line_begun_at(std::string_view bytes, size_t at);

// The document that contains a byte, from the line "---" before it to the one after it.
struct ByteRange {
    size_t begin;
    size_t end;
};
ByteRange document_of(std::string_view bytes, size_t at);

// Returns true if only comments precede a line in its document.
bool begins_document(std::string_view bytes, const SourceLine& line);

// The end of the field or item that begins on a line: after the last line with a greater indentation.
size_t end_of_field(std::string_view bytes, const SourceLine& first);

// The text of a plain scalar at `offset`, a number or a word, as written: up to a blank, a line break or a
// delimiter.
Location word_at(const SourceFile& file, uint32_t offset);

} // namespace opcat
