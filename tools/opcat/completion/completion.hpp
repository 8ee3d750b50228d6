// Scripts that complete a command line in a shell, made from a command tree.
//
// Each script knows commands, flags and fixed values by itself; names of packages, channels, bundles and
// rules it asks `PROGRAM complete-names KIND WORD...` for, with the words of the line so far.
#pragma once

#include "command_description.hpp"

#include <string>

namespace opcat {

std::string bash_completion(const CommandDescription& tree);
std::string zsh_completion(const CommandDescription& tree);
std::string fish_completion(const CommandDescription& tree);

} // namespace opcat
