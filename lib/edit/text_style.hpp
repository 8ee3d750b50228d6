// New values as text in the manner of the text around them.
#pragma once

#include "opcat/document/value.hpp"

#include <cstddef>
#include <string>

namespace opcat::edit {

// The habits of the author of a file.
struct TextStyle {
    size_t step = 2;               // columns per level
    bool lists_are_deeper = false; // of YAML: the dash of an item is right of the list's key
    bool is_json = false;          // of flow style: keys and texts are in double quotes
    bool on_one_line = false;      // of flow style
    std::string line_break = "\n";
};

// A value in YAML's block style, where `column` blanks are already written: the next lines of an object begin
// there. Without a line break at the end.
void append_block(std::string& out, const Value& value, size_t column, const TextStyle& style);

// A value in flow style, on one line or, as JSON is printed, with one member on a line; `column`: the
// indentation of the line on which it begins.
void append_flow(std::string& out, const Value& value, size_t column, const TextStyle& style);

// A scalar in block style on one line: plain where that is read as the same text, else in quotes.
std::string block_scalar(const Value& value);

} // namespace opcat::edit
