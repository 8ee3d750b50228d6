// The digest of a file.
#pragma once

#include <filesystem>
#include <string>

namespace opcat::image {

// "sha256:…". Throws Error if the file cannot be read.
std::string file_digest(const std::filesystem::path& file);

} // namespace opcat::image
