// The version of Kubernetes that a flag names.
#pragma once

#include "opcat/semver/version.hpp"

#include <string>

namespace opcat {

// "1.36", "v1.36.2". `example`: how to write it, with the flag. Throws RequestError for all that is
// not 1.MINOR.
semver::Version kubernetes_version(const std::string& text, const std::string& example);

} // namespace opcat
