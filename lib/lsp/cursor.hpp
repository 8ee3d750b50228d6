// The position of a cursor in a document that may be incomplete: the field and the object around it, from the
// text alone, because it may not parse.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

struct CursorContext {
    // The path to the cursor's key or value: names of fields, and "[]" for an item of a list: {"entries",
    // "[]", "replaces"} for a value, {"entries", "[]"} for a key of an entry.
    std::vector<std::string> path;
    bool is_key = false;
    // The typed text, which completion replaces: the bytes [begin, end), without quotes.
    size_t begin = 0;
    size_t end = 0;
    char quote = 0; // that is open before `begin`; 0: none
    bool is_json = false;
    std::string indent; // of the line of the cursor, where keys on their own lines begin

    // The scalars of the objects around the cursor, from the innermost to the root: those before the cursor,
    // in block style also those after it.
    std::vector<std::map<std::string, std::string, std::less<>>> siblings;

    // "entries[].replaces"
    std::string field() const;
    // Returns a text field of the root; empty: there is none.
    std::string_view root(std::string_view name) const;
    std::string_view sibling(std::string_view name, size_t level = 0) const;
};

// `text` is one document, with or without the separator before it, in block or flow style or JSON. Linear in
// its lines, at most 20,000 before and after the cursor.
CursorContext cursor_context(std::string_view text, size_t at);

} // namespace opcat::lsp
