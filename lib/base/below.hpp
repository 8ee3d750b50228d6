// Decides if one path is in another, and so what a program may read and write.
#pragma once

#include <algorithm>
#include <filesystem>

namespace opcat {

// Returns true if a path is a directory, or in it; by the texts of both.
inline bool is_below(const std::filesystem::path& path, const std::filesystem::path& directory) {
    return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first ==
           directory.end();
}

} // namespace opcat
