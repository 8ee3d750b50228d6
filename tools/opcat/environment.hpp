// Directories that the environment names: the XDG base directory specification.
#pragma once

#include <filesystem>
#include <optional>

namespace opcat {

// The value of a variable; nothing if it is unset or empty.
std::optional<std::filesystem::path> path_variable(const char* name);

// Below $HOME, or nothing where there is none.
std::optional<std::filesystem::path> below_home(const std::filesystem::path& path);

// $XDG_CONFIG_HOME, or ~/.config.
std::optional<std::filesystem::path> config_home();

// The directory for data that may be lost: $XDG_CACHE_HOME/opcat, or ~/.cache/opcat.
std::optional<std::filesystem::path> cache_directory();

// $TMPDIR, or /tmp.
std::filesystem::path temporary_directory();

// Returns true if the user's locale uses UTF-8, according to the environment. POSIX's own locale, the
// default, does not.
bool has_utf8_locale();

// The columns that a shell exports, for output that is not a terminal; 0 if unset.
unsigned exported_columns();

} // namespace opcat
