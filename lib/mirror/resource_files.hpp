// Keeps resources for clusters from replacing those of another mirror, or files of something else.
#pragma once

#include "opcat/mirror/resources.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opcat {

// Returns those whose names follow from `names` alone, without their texts.
std::vector<ResourceFile> expected_resources(const ResourceNames& names);

// Throws RequestError if one of the files is there, and has other objects than the new one, or pulls from
// another mirror than the one with this prefix ("registry.example/mirror"). A file without a text stands for
// any object.
void require_own_resources(const std::filesystem::path& directory, const std::vector<ResourceFile>& files,
                           const std::string& prefix);

} // namespace opcat
