// Schemas of users, named on the command line.
#pragma once

#include "lint/schemas.hpp"

#include <string>
#include <vector>

namespace opcat {

class Session;

// Adds files to the schemas of the format. What is wrong with them is shown on standard error; then the
// result is false and the exit status that of wrong usage. Throws Error for a file that cannot be read.
bool add_schema_files(const std::vector<std::string>& paths, Schemas& schemas, Session& session);

} // namespace opcat
