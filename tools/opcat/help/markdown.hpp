// The subset of Markdown that our own pages use.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// For a terminal: titles ("# "), headings ("## "), paragraphs, items ("- "), rows of tables, and code,
// indented by four blanks or fenced. Without the marks of emphasis if there are colours for them.
std::string markdown_as_text(std::string_view markdown, size_t width, bool colour);

// "file:///usr/share/doc/opcat/rules.html", if that page is installed next to this program; else empty.
std::string rules_page();

} // namespace opcat
