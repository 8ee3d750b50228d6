// Manual pages, in the man(7) language, made from the command tree, prose, and the pages of concepts.
#pragma once

#include "help/command_description.hpp"
#include "help/help.hpp"

#include <string>
#include <string_view>

namespace opcat {

// "opcat-list-packages": its page is in section 1.
std::string page_name(const CommandDescription& command);

// Says if each command of a tree has its own page, or all share that of the root.
enum class Pages { one, many };

// `prose` is Markdown: paragraphs for DESCRIPTION, then sections under "## " headings ("## Examples"). If
// empty, the description of the command and its examples are used.
std::string manual_page(const CommandDescription& command, const CommandDescription& root, Pages pages,
                        std::string_view prose);

// "opcat-channels", of section 7.
std::string page_name(const Topic& topic);
std::string manual_page(const Topic& topic);

// Text of one line with man(7) macros escaped.
std::string roff_text(std::string_view text);

// Such text in lines that are short enough for manuals.
std::string roff_filled(std::string_view text);

// Code, line by line.
std::string roff_code(std::string_view code);

} // namespace opcat
