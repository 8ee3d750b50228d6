// Manual pages, in the man(7) language, made from the command tree, prose, and the pages of concepts.
#pragma once

#include "help/command_description.hpp"
#include "help/topics.hpp"

#include <string>
#include <string_view>

namespace opcat {

// "opcat-list-packages": its page is in section 1.
std::string page_name(const CommandDescription& command);

// Whether the commands of a tree have pages of their own, or all stand on that of the root.
enum class Pages { one, many };

// `prose` is Markdown: paragraphs for DESCRIPTION, then sections under "## " headings ("## Examples"). Empty:
// the description of the command has to do, and its examples.
std::string manual_page(const CommandDescription& command, const CommandDescription& root, Pages pages,
                        std::string_view prose);

// "opcat-channels", of section 7.
std::string page_name(const Topic& topic);
std::string manual_page(const Topic& topic);

} // namespace opcat
