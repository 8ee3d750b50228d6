// What stands around a resolution: things that OLM looks at before and after it, each as a finding.
#pragma once

#include "resolve/classic/plan.hpp"
#include "support/diagnostic.hpp"

namespace opcat::classic {

// Errors are what OLM would not do, or what would fail; warnings and notes what users should know before.
// docs/resolve-classic.md lists them.
Diagnostics check_surroundings(const Request& request, const Resolution& resolution, const Plan& plan);

} // namespace opcat::classic
