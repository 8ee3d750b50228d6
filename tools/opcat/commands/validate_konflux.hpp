// `opcat validate --policy konflux`: a fragment of a catalog, and what is known about its image.
#pragma once

#include "commands/validate.hpp"
#include "opcat/policy/policy.hpp"

#include <string>

namespace opcat {

// `catalog`: the fragment, if it is open already; else nullptr.
policy::PolicyRun run_konflux(const std::string& reference, const Source* catalog,
                              const Configuration& configuration, const ValidateOptions& options,
                              Session& session);

} // namespace opcat
