// The images of an archive, as JSON.
#pragma once

#include "opcat/image/manifest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

inline constexpr uint64_t most_in_image_list = uint64_t{64} << 20;

std::string write_image_list(const std::vector<image::IndexEntry>& images);
// Throws Error.
std::vector<image::IndexEntry> parse_image_list(std::string_view json);

} // namespace opcat
