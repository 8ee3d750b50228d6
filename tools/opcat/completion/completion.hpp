// Completes command lines for shells.
#pragma once

#include "help/command_description.hpp"

#include <span>
#include <string>

namespace opcat {

class Session;

// The answer to a shell for the words after the program's name, of which the last is the one to complete: a
// candidate on each line, with its description after a tab, and at last what the shell completes in addition:
// ":0" files, ":4" nothing, ":16" directories. So answer the programs that are made with cobra to
// `PROGRAM __complete WORD...`, and `kubectl_complete-PLUGIN WORD...` to kubectl.
// Names of packages, channels and bundles are those of the catalogs on the line.
std::string complete_line(const CommandDescription& tree, std::span<const char* const> words,
                          Session& session);

} // namespace opcat
