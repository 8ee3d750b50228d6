// Help texts, as wide as the terminal.
#pragma once

#include "help/command_description.hpp"

#include <string>

namespace opcat {

class Session;

struct HelpStyle {
    bool colour = false;
    size_t width = 80; // columns
};

std::string help_text(const CommandDescription& command, const HelpStyle& style);

// What suits the standard output of the session: as wide as its terminal, or as COLUMNS says, but neither too
// narrow nor too wide to read.
HelpStyle help_style(const Session& session);

} // namespace opcat
