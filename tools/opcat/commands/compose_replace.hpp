// A package's fragment put into an index in place of the old one.
#pragma once

#include "catalog_options.hpp"

#include <string>
#include <vector>

namespace opcat {

struct ReplaceFlags {
    std::vector<std::string> fragments; // --replace
    Format format = Format::json;
    std::string directory; // --output-dir
};

// Prints the new index, or writes it to a directory. Nothing is written unless it validates.
void replace_in_index(const std::string& index, const ReplaceFlags& flags, const ImageFlags& images,
                      Session& session);

} // namespace opcat
