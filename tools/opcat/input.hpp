// Files named on the command line, where "-" is standard input.
#pragma once

#include "base/diagnostic.hpp"

#include <memory>
#include <string>

namespace opcat {

// Reads all of the file, or of standard input, which is shown as "stdin". Throws Error.
std::unique_ptr<SourceFile> read_input(const std::string& path);

} // namespace opcat
