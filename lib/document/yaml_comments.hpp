// Comments of YAML, which reading passes over.
#pragma once

#include "base/source_file.hpp"

#include <cstdint>
#include <vector>

namespace opcat {

// The places of all comments in a file of YAML, or of JSON that switches to YAML: their bytes from the '#' to
// the end of the line, in the order of the file. Where the text is not YAML, whatever may be a comment.
// Linear, at the speed of libyaml where there is a '#'.
std::vector<Location> find_yaml_comments(const SourceFile& file);

} // namespace opcat
