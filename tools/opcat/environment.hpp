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

// Where opcat keeps what it may lose: $XDG_CACHE_HOME/opcat, or ~/.cache/opcat.
std::optional<std::filesystem::path> cache_directory();

// $TMPDIR, or /tmp.
std::filesystem::path temporary_directory();

// Whether terminals and files of the user's locale hold UTF-8, as the environment says. POSIX's own locale,
// which counts where nothing is set, does not.
bool has_utf8_locale();

// The columns that a shell exports for what is not a terminal itself; 0 if there are none.
unsigned exported_columns();

} // namespace opcat
