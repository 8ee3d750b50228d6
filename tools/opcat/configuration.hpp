// The configuration of a run: .opcat.yaml and the flags that override it.
#pragma once

#include "opcat/lint/configuration.hpp"

#include <optional>
#include <string>
#include <string_view>
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

// Relative to the current directory if it is below it, otherwise absolute.
std::string as_people_write(const std::filesystem::path& file);

// Finds the configuration of a reference: for a path, in its directory or above; for an image or standard
// input, in the current directory or above (lint/configuration.hpp).
FoundConfiguration configuration_file_for(const std::string& reference, const ConfigurationFlags& flags,
                                          const Session& session);

// The configuration for a reference. Files that are passed over are named in warnings. Mistakes in the file
// are shown on standard error; then there is nothing, and the exit status is that of wrong usage. Throws
// RequestError for a wrong flag, Error for a file that cannot be read.
std::optional<Configuration> configuration_for(const std::string& reference, const ConfigurationFlags& flags,
                                               Session& session);

// The catalogs that the ci.yaml in a directory maps (lint/catalog_settings.hpp), if it is an operator of a
// public operator repository (operators/NAME). Mistakes are shown as above.
std::optional<std::vector<CatalogSetting>> mapped_catalogs(const std::filesystem::path& directory,
                                                           Session& session);

// The catalogs of the project that we are in: those of .opcat.yaml (--config), or else of the ci.yaml in the
// current directory. Mistakes are shown as above; then there is nothing. Throws RequestError if there are
// none; `instead` is what the user can do in place of listing some: "name one with --in".
std::optional<std::vector<CatalogSetting>>
configured_catalogs(const ConfigurationFlags& flags, Session& session, std::string_view instead = {});

} // namespace opcat
