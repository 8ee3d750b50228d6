// What keeps OLM classic from going on in a namespace, although it has resolved what to install.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/plan.hpp"

namespace opcat::classic {

// Operators that have failed or say that they cannot be upgraded, InstallPlans that have failed or that OLM
// does not make again, what is being deleted, and the account that an OperatorGroup names. Linear in the
// objects of the namespace, times the operators of the plan.
void check_progress(const Request& request, const Resolution& resolution, const Plan& plan,
                    Diagnostics& findings);

} // namespace opcat::classic
