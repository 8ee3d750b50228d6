// Help texts, as wide as the terminal.
#pragma once

#include "command_tree.hpp"

#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
}

namespace opcat {

class Session;

struct HelpStyle {
    bool colour = false;
    size_t width = 80; // columns
};

std::string help_text(const Command& command, const HelpStyle& style);

// For CLI::App::formatter: `help_text`, as standard output can show it. The session must outlive it.
std::shared_ptr<CLI::FormatterBase> help_formatter(const Session& session);

} // namespace opcat
