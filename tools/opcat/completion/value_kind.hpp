// What a shell offers for a value.
#pragma once

#include "command_tree.hpp"

#include <string>

namespace opcat {

struct ValueKind {
    enum class Source { words, files, directories, names };
    Source source = Source::files;
    std::string names; // for `names`: what to ask `complete-names` for
};

// By its choices, or else by what the value is called: "DIR", "PACKAGE".
ValueKind kind_of(const CommandOption& option);

// The options of a command, and those of the root, which are understood everywhere.
std::vector<CommandOption> options_at(const Command& command, const Command& root);

// All commands of a tree, each before its own.
std::vector<const Command*> all_commands(const Command& root);

} // namespace opcat
