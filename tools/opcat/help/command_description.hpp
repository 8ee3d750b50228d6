// A command's interface as plain values, from which help texts, completion and manual pages are made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class Command;

struct OptionDescription {
    std::vector<std::string> names;   // "-o", "--output"; none for a positional argument
    std::string value;                // what its value is called: "FILE"; empty for a switch
    std::vector<std::string> choices; // the allowed values, if they are few
    std::string description;
    std::string default_value; // empty: none, or not interesting
    std::string group;         // of the help text
    std::vector<std::string> excludes;
    bool required = false;
    bool repeated = false;
};

struct CommandDescription {
    std::string path; // "opcat list packages"
    std::string name; // "packages"
    std::vector<std::string> aliases;
    std::string group; // of its parent's help text
    std::string description;
    std::string footer; // examples and more, in lines
    std::vector<OptionDescription> options;
    std::vector<OptionDescription> arguments; // positional, in their order
    std::vector<CommandDescription> commands;
    bool needs_command = false; // requires one of its subcommands
};

// Without what is hidden.
CommandDescription describe(Command command);

// "-o, --output FORMAT", or "REF..." for a positional argument.
std::string signature(const OptionDescription& option);

// "opcat render [OPTIONS] REF...".
std::string synopsis(const CommandDescription& command);

// The description and, in brackets, choices that the signature does not show, the default and what it
// excludes.
std::string full_description(const OptionDescription& option);

} // namespace opcat
