// man(7) macros, of which manuals are made.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// Text of one line: nothing in it is a macro.
std::string roff_text(std::string_view text);

// Such text in lines that are short enough for manuals.
std::string roff_filled(std::string_view text);

// Code, line by line.
std::string roff_code(std::string_view code);

} // namespace opcat
