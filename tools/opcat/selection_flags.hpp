// The flags that select a part of a catalog.
#pragma once

#include "opcat/filter/filter.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;

struct SelectionFlags {
    std::vector<std::string> packages;
    std::vector<std::string> channels;
    std::vector<std::string> versions;
    std::vector<std::string> files;
    bool with_dependencies = false;

    bool any() const { return !packages.empty() || !channels.empty() || !versions.empty() || !files.empty(); }
};

// -p, -c, --version, -f and --with-dependencies. `flags` is filled when the command line is parsed, and must
// live as long as the command.
void add_selection_flags(Command command, SelectionFlags& flags);

// The selection of the flags; without packages, if no flag was given. Mistakes in a file are shown on
// standard error; then there is nothing, and the exit status says so. Throws RequestError for a wrong flag,
// Error for a file that cannot be read.
std::optional<Selection> selection_of(const SelectionFlags& flags, Session& session);

} // namespace opcat
