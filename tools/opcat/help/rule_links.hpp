// Ids of rules as links to the page that explains them, on terminals.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// "file:///usr/share/doc/opcat/rules.html", if that page is installed beside this program; else empty.
std::string rules_page();

// `finding`, the text of a finding of `rule`, with the id a hyperlink (OSC 8) to `page`.
std::string with_rule_link(std::string finding, std::string_view rule, std::string_view page);

} // namespace opcat
