// The subset of Markdown that our own pages use, for terminals and for manuals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct Block {
    enum class Kind { title, heading, paragraph, item, row, code };
    Kind kind = Kind::paragraph;
    std::string text;     // on one line, except for code; cells of a row are separated by tabs
    std::string language; // of a fenced block of code
};

// Titles ("# "), headings ("## "), paragraphs, items ("- "), rows of tables, and code, indented by four
// blanks or fenced.
std::vector<Block> parse_markdown(std::string_view text);

// For a terminal; without the marks of emphasis if it has colours for them.
std::string markdown_as_text(const std::vector<Block>& blocks, size_t width, bool colour);

// As man(7) macros. Titles are left out: the page has one.
std::string markdown_as_roff(const std::vector<Block>& blocks);

// "file:///usr/share/doc/opcat/rules.html", if that page is installed next to this program; else empty.
std::string rules_page();

} // namespace opcat
