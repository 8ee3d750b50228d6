// The configuration of a run: .opcat.yaml and the flags that override it.
#pragma once

#include "opcat/lint/configuration.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;

struct ConfigurationFlags {
    std::string file; // --config
    bool none = false;
    std::vector<std::string> rules; // NAME=LEVEL
};

// `flags` is filled when the command line is parsed, and must live as long as the command.
void add_configuration_flags(Command command, ConfigurationFlags& flags);

// The configuration for a reference: of a path, the file in its directory or above; of an image or standard
// input, that of the current directory. Mistakes in the file are shown on standard error; then there is
// nothing, and the exit status is that of wrong usage. Throws RequestError for a wrong flag, Error for a file
// that cannot be read.
std::optional<Configuration> configuration_for(const std::string& reference, const ConfigurationFlags& flags,
                                               Session& session);

} // namespace opcat
