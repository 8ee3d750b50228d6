// What a shell offers for a value.
#pragma once

#include "help/command_description.hpp"

#include <string>

namespace opcat {

struct ValueKind {
    enum class Source { words, files, directories, names };
    Source source = Source::files;
    std::string names;        // for `names`: what to ask `complete-names` for
    bool behind_name = false; // for `files`: "NAME=" may stand before the file
};

// By its choices, or else by what the option or its value is called: "--installed", "DIR", "PACKAGE".
ValueKind kind_of(const OptionDescription& option);

// The options of a command, and those of the root, which are understood everywhere.
std::vector<OptionDescription> options_at(const CommandDescription& command, const CommandDescription& root);

// All commands of a tree, each before its own.
std::vector<const CommandDescription*> all_commands(const CommandDescription& root);

} // namespace opcat
