// Files of YAML as lines: which of them belong to a field, to an item of a list, or to a document. For
// comments and for edits of text, where block style says it by indentation; nothing is parsed.
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

    size_t next() const { return begin + text.size() + 1; } // where the next line begins, if there is one
    size_t indent() const;
    std::string_view content() const { return text.substr(indent()); }
    bool is_separator() const { return text.starts_with("---"); } // documents are cut there
    bool says_nothing() const;                                    // blank, or a comment
    bool is_item() const;                                         // of a list
};

// The line that a byte is in.
SourceLine line_of(std::string_view bytes, size_t at);

// The line of which a byte is the first that is not a blank, dashes of lists apart; nothing for other bytes.
// Takes no longer than these blanks and the line are long.
std::optional<SourceLine> line_begun_at(std::string_view bytes, size_t at);

// The document that a byte is in, from the line "---" before it to the one after it.
struct ByteRange {
    size_t begin;
    size_t end;
};
ByteRange document_of(std::string_view bytes, size_t at);

// Whether nothing but comments is before a line in its document.
bool begins_document(std::string_view bytes, const SourceLine& line);

// Where the field or item ends that begins on a line: after the last line that is further to the right.
size_t end_of_field(std::string_view bytes, const SourceLine& first);

// The text of a plain scalar at `offset`, a number or a word, as it is written there: up to a blank or a mark
// that ends it.
Location word_at(const SourceFile& file, uint32_t offset);

} // namespace opcat
