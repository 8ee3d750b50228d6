// Help texts, as wide as the terminal, and the concepts that `opcat help` explains.
#pragma once

#include "help/command_description.hpp"

#include <span>
#include <string>
#include <string_view>

namespace opcat {

class Session;

struct HelpStyle {
    bool colour = false;
    size_t width = 80; // columns
};

std::string help_text(const CommandDescription& command, const HelpStyle& style);

// The width for the session's standard output: its terminal's, or COLUMNS, but neither too narrow nor too
// wide to read.
HelpStyle help_style(const Session& session);

// A concept that `opcat help TOPIC` explains: a page of docs/topics.
struct Topic {
    std::string_view name;
    std::string_view markdown; // its first line is the title: "# Channels"
};

std::span<const Topic> topics();

// Returns the text after "# " on the first line.
std::string_view title_of(const Topic& topic);

} // namespace opcat
