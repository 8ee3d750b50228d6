// Which files are of a catalog where nobody says so: those next to one that an editor or a command names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace opcat {

// The first value of a key "schema" that begins with "olm."; empty: there is none.
std::string_view first_schema(std::string_view text);
// Returns true if a text may be a file of a catalog: its beginning names a schema.
bool looks_like_catalog(std::string_view text);
// By its name and its beginning. `problem` becomes the reason if it cannot be read.
bool file_looks_like_catalog(const std::filesystem::path& path, std::string& problem);

// Returns true if all that is in a directory itself may belong to a catalog. `problem` becomes the reason if
// that cannot be known.
bool is_like_catalog(const std::filesystem::path& directory, std::string& problem);

std::string cannot_list(const std::filesystem::path& directory, std::error_code why);

} // namespace opcat
