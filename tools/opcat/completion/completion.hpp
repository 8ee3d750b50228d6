// What completes a command line in a shell, made from a command tree.
//
// Each script knows commands, flags and fixed values by itself; names of packages, channels, bundles and
// rules it asks `PROGRAM complete-names KIND WORD...` for, with the words of the line so far.
#pragma once

#include "help/command_description.hpp"

#include <span>
#include <string>

namespace opcat {

std::string bash_completion(const CommandDescription& tree);
std::string zsh_completion(const CommandDescription& tree);
std::string fish_completion(const CommandDescription& tree);

// kubectl has scripts of its own, which run `kubectl_complete-PLUGIN` with the words behind the plugin's
// name, of which the last is the one to complete: what that has to answer, one candidate a line, and a
// directive.
std::string kubectl_completion(const CommandDescription& tree, std::span<const char* const> words);

} // namespace opcat
